/** Runs the checks of one driver: {@code Client connector-j | mariadb}. */
final class Client {
    private Client() {}

    public static void main(String[] arguments) {
        Notebook book = new Notebook();
        switch (arguments[0]) {
            case "connector-j" -> new ConnectorJ(book).run();
            case "mariadb" -> new MariaDb(book).run();
            default -> throw new IllegalArgumentException(arguments[0]);
        }
        book.close();
    }
}
