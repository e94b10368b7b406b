import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.List;

/** MariaDB Connector/J: pipelined batches, its own way to prepare and to ask for metadata. */
final class MariaDb {
    private final Notebook book;

    MariaDb(Notebook book) {
        this.book = book;
    }

    void run() {
        book.check("login", this::login);
        for (String way : List.of("", "useServerPrepStmts=true", "useBulkStmts=true&useServerPrepStmts=true&cachePrepStmts=true")) {
            book.check(("batches " + way).strip(), saw -> batches(saw, way));
        }
        book.check("transactions", this::transactions);
        book.check("call", this::call);
        book.check("metadata", this::metadata);
        book.check("stream", this::stream);
        book.check("multi", this::several);
        book.check("compress", this::compress);
    }

    private static Connection connect(String database, String options) throws SQLException {
        String url = "jdbc:mariadb://" + Notebook.HOST + ":" + Notebook.PORT + "/" + database + "?allowPublicKeyRetrieval=true"
                + (options.isEmpty() ? "" : "&" + options);
        return DriverManager.getConnection(url, Notebook.USER, Notebook.PASSWORD);
    }

    /** Number and state; the connector writes connection numbers into its texts. */
    private static Object fault(Notebook.Action action) throws Exception {
        return Notebook.fault(action) instanceof List<?> fault ? fault.subList(0, 3) : "nothing raised";
    }

    private void login(Notebook.Saw saw) throws Exception {
        try (Connection connection = connect(Notebook.SHARDED, "")) {
            saw.note(Notebook.run(connection, "SELECT DATABASE(), CURRENT_USER(), @@autocommit"));
            saw.note(connection.isValid(5));
            saw.note(fault(() -> Notebook.run(connection, "SELECT * FROM nowhere")));
        }
        saw.note(fault(() -> connect("there_is_none", "")));
        for (String options : List.of("sslMode=trust", "sslMode=verify-full&serverSslCert=" + Notebook.AUTHORITY)) {
            try (Connection connection = connect(Notebook.SHARDED, options)) {
                saw.note(Notebook.run(connection, "SELECT 1"));
            }
        }
        saw.note(Notebook.fault(() -> connect(Notebook.SHARDED, "sslMode=verify-ca&serverSslCert=" + Notebook.STRANGER)) instanceof List);
    }

    private void batches(Notebook.Saw saw, String way) throws Exception {
        for (String database : List.of(Notebook.PASSED, Notebook.SHARDED)) {
            try (Connection connection = connect(database, way)) {
                Notebook.setup(connection, "DROP TABLE IF EXISTS orders", "CREATE TABLE orders (id BIGINT PRIMARY KEY, v VARCHAR(20), t DATETIME(6))");
                try (PreparedStatement statement = connection.prepareStatement("INSERT INTO orders (id, v, t) VALUES (?, ?, ?)")) {
                    for (int id = 0; id < 300; id++) {
                        statement.setInt(1, id);
                        statement.setString(2, id % 7 == 0 ? null : "v😀" + id);
                        statement.setObject(3, java.time.LocalDateTime.of(2024, 1, 1, 0, 0).plusSeconds(id));
                        statement.addBatch();
                    }
                    saw.note(statement.executeBatch().length);
                }
                saw.note(Notebook.run(connection, "SELECT COUNT(*), SUM(id), COUNT(v), MAX(t) FROM orders"));
                try (PreparedStatement statement = connection.prepareStatement("SELECT * FROM orders WHERE id BETWEEN ? AND ? ORDER BY id")) {
                    statement.setInt(1, 5);
                    statement.setInt(2, 15);
                    try (ResultSet found = statement.executeQuery()) {
                        saw.note(Notebook.columns(found.getMetaData()));
                        saw.note(Notebook.rows(found));
                    }
                }
                try (PreparedStatement statement = connection.prepareStatement("INSERT INTO orders (id) VALUES (?)")) {
                    for (int id : new int[] {400, 5, 401}) {
                        statement.setInt(1, id);
                        statement.addBatch();
                    }
                    saw.note(fault(statement::executeBatch));
                }
                saw.note(Notebook.run(connection, "SELECT id FROM orders WHERE id >= 299 ORDER BY id"));
            }
        }
    }

    private void transactions(Notebook.Saw saw) throws Exception {
        try (Connection connection = connect(Notebook.SHARDED, "")) {
            Notebook.setup(connection, "DROP TABLE IF EXISTS orders", "CREATE TABLE orders (id BIGINT PRIMARY KEY, v INT)");
            connection.setAutoCommit(false);
            for (boolean commit : new boolean[] {false, true}) {
                Notebook.setup(connection, "INSERT INTO orders VALUES (1, 1), (2, 2), (3, 3)");
                if (commit) {
                    connection.commit();
                } else {
                    connection.rollback();
                }
                saw.note(commit, Notebook.run(connection, "SELECT COUNT(*) FROM orders"));
            }
        }
    }

    private void call(Notebook.Saw saw) throws Exception {
        for (String way : List.of("", "useServerPrepStmts=true")) {
            try (Connection connection = connect(Notebook.PASSED, way)) {
                Notebook.setup(connection, "DROP PROCEDURE IF EXISTS p",
                        "CREATE PROCEDURE p(IN a INT, OUT b INT) BEGIN SELECT a; SET b = a + 1; SELECT 'two'; END");
                try (CallableStatement statement = connection.prepareCall("{call p(?, ?)}")) {
                    statement.setInt(1, 3);
                    statement.registerOutParameter(2, Types.INTEGER);
                    saw.note(Notebook.sets(statement, statement.execute()));
                    saw.note(statement.getInt(2));
                }
            }
        }
    }

    private void metadata(Notebook.Saw saw) throws Exception {
        try (Connection connection = connect(Notebook.SHARDED, "")) {
            Notebook.setup(connection, "DROP TABLE IF EXISTS orders, notes, contacts",
                    "CREATE TABLE orders (id BIGINT PRIMARY KEY, v VARCHAR(20) NOT NULL, KEY k (v))");
            DatabaseMetaData data = connection.getMetaData();
            saw.note(Notebook.rows(data.getTables(Notebook.SHARDED, null, "%", null)));
            saw.note(Notebook.texts(data.getColumns(Notebook.SHARDED, null, "orders", "%")));
            saw.note(Notebook.rows(data.getPrimaryKeys(Notebook.SHARDED, null, "orders")));
        }
    }

    private void stream(Notebook.Saw saw) throws Exception {
        try (Connection connection = connect(Notebook.SHARDED, ""); Statement statement = connection.createStatement()) {
            statement.setFetchSize(3);
            saw.note(Notebook.rows(statement.executeQuery("SELECT v, id FROM orders ORDER BY id")));
        }
    }

    private void several(Notebook.Saw saw) throws Exception {
        try (Connection connection = connect(Notebook.SHARDED, "allowMultiQueries=true")) {
            saw.note(Notebook.run(connection, "SELECT 1; SET @a = 2; SELECT @a; SELECT COUNT(*) FROM orders"));
            saw.note(fault(() -> Notebook.run(connection, "SELECT 1; SELECT * FROM nowhere")));
        }
    }

    private void compress(Notebook.Saw saw) throws Exception {
        try (Connection connection = connect(Notebook.SHARDED, "useCompression=true")) {
            saw.note(Notebook.run(connection, "SELECT REPEAT('compress ', 20000)"));
            saw.note(Notebook.run(connection, "SELECT COUNT(*) FROM orders"));
        }
    }
}
