import com.mysql.cj.jdbc.JdbcStatement;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/** MySQL Connector/J with the options applications set, and HikariCP over it. */
final class ConnectorJ {
    private static final String TYPES = "id INT PRIMARY KEY, a TINYINT, b TINYINT(1), c SMALLINT UNSIGNED, d MEDIUMINT, "
            + "e INT UNSIGNED, f BIGINT, g BIGINT UNSIGNED, h DECIMAL(20,5), i FLOAT, j DOUBLE, k BIT(1), l BIT(12), m DATE, "
            + "n TIME(3), o DATETIME(6), p TIMESTAMP(6) NULL, q YEAR, r CHAR(5), s VARCHAR(60), t BINARY(3), "
            + "u VARBINARY(10), v LONGTEXT, w LONGBLOB, x ENUM('x','y'), y SET('p','q'), z JSON";
    /** Client-side and server-side preparation, alone and with what pools are told to set. */
    private static final List<String> WAYS = List.of("", "useServerPrepStmts=true",
            "useServerPrepStmts=true&cachePrepStmts=true&rewriteBatchedStatements=true&useLocalSessionState=true"
                    + "&cacheServerConfiguration=true&elideSetAutoCommits=true&cacheResultSetMetadata=true");

    private final Notebook book;

    ConnectorJ(Notebook book) {
        this.book = book;
    }

    void run() {
        book.check("login", this::login);
        book.check("tls", this::tls);
        for (String way : WAYS) {
            book.check("types " + WAYS.indexOf(way), saw -> types(saw, way));
            book.check("orders " + WAYS.indexOf(way), saw -> orders(saw, way));
            book.check("batches " + WAYS.indexOf(way), saw -> batches(saw, way));
            book.check("transactions " + WAYS.indexOf(way), saw -> transactions(saw, way));
        }
        book.check("generated_keys", this::generatedKeys);
        book.check("metadata", this::metadata);
        book.check("call", this::callable);
        book.check("multi", this::several);
        book.check("stream", this::stream);
        book.check("cursor", this::cursor);
        book.check("local_infile", this::localInfile);
        book.check("compress", this::compress);
        book.check("change_user", this::changeUser);
        book.check("time_zones", this::timeZones);
        book.check("big", this::big);
        book.check("timeout", this::timeout);
        book.check("statements", this::statements);
        book.check("hikari", this::hikari);
    }

    private static Connection connect(String database, String options) throws SQLException {
        String url = "jdbc:mysql://" + Notebook.HOST + ":" + Notebook.PORT + "/" + database
                + "?allowPublicKeyRetrieval=true&connectTimeout=30000&socketTimeout=120000"
                + (options.contains("sslMode") ? "" : "&sslMode=DISABLED") + (options.isEmpty() ? "" : "&" + options);
        return DriverManager.getConnection(url, Notebook.USER, Notebook.PASSWORD);
    }

    private void login(Notebook.Saw saw) throws Exception {
        try (Connection connection = connect(Notebook.SHARDED, "")) {
            saw.note(Notebook.run(connection, "SELECT DATABASE(), CURRENT_USER(), @@autocommit, @@character_set_client"));
            saw.note(connection.isValid(5), connection.getCatalog(), connection.getTransactionIsolation());
            connection.setCatalog(Notebook.PASSED);
            saw.note(Notebook.run(connection, "SELECT DATABASE()"));
            connection.setReadOnly(true);
            saw.note(Notebook.fault(() -> Notebook.run(connection, "CREATE TABLE no (id INT)")));
            saw.note(Notebook.run(connection, "SELECT @@transaction_read_only"));
        }
        saw.note(Notebook.fault(() -> connect("there_is_none", "")));
        String url = "jdbc:mysql://" + Notebook.HOST + ":" + Notebook.PORT + "/?allowPublicKeyRetrieval=true&sslMode=";
        for (String mode : List.of("DISABLED", "REQUIRED")) {
            saw.note(Notebook.fault(() -> DriverManager.getConnection(url + mode, Notebook.USER, "wrong")));
            saw.note(Notebook.fault(() -> DriverManager.getConnection(url + mode, Notebook.USER, "")));
        }
        try (Connection connection = connect(Notebook.SHARDED,
                "characterEncoding=latin1&connectionCollation=latin1_german1_ci&sessionVariables=sql_mode='ANSI',@x=5")) {
            saw.note(Notebook.run(connection, "SELECT @@character_set_client, @@collation_connection, @@sql_mode, @x, 'ü'"));
        }
    }

    private static String trust(String name, String file) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        try (InputStream pem = Files.newInputStream(Path.of(file))) {
            Certificate certificate = CertificateFactory.getInstance("X.509").generateCertificate(pem);
            store.setCertificateEntry("authority", certificate);
        }
        Path path = Path.of(Notebook.FOLDER, name + ".p12");
        try (var out = Files.newOutputStream(path)) {
            store.store(out, "secret".toCharArray());
        }
        return "&trustCertificateKeyStoreType=PKCS12&trustCertificateKeyStorePassword=secret&trustCertificateKeyStoreUrl=file:"
                + path;
    }

    private void tls(Notebook.Saw saw) throws Exception {
        String trusted = trust("authority", Notebook.AUTHORITY);
        String stranger = trust("stranger", Notebook.STRANGER);
        for (String options : List.of("sslMode=REQUIRED", "sslMode=PREFERRED", "sslMode=VERIFY_CA" + trusted,
                "sslMode=VERIFY_IDENTITY" + trusted, "sslMode=VERIFY_IDENTITY&tlsVersions=TLSv1.2" + trusted,
                "sslMode=REQUIRED&tlsVersions=TLSv1.3")) {
            try (Connection connection = connect(Notebook.SHARDED, options)) {
                saw.note(Notebook.run(connection, "SELECT 1"));
            }
        }
        try (Connection wrong = connect(Notebook.SHARDED, "sslMode=VERIFY_CA" + stranger)) {
            saw.note("was taken", wrong.isValid(1));
        } catch (SQLException error) {
            saw.note(error.getErrorCode(), error.getSQLState());
        }
    }

    private void types(Notebook.Saw saw, String way) throws Exception {
        for (String database : List.of(Notebook.PASSED, Notebook.SHARDED)) {
            try (Connection connection = connect(database, way)) {
                Notebook.setup(connection, "DROP TABLE IF EXISTS notes", "CREATE TABLE notes (" + TYPES + ")");
                String insert = "INSERT INTO notes VALUES (" + "?, ".repeat(26) + "?)";
                try (PreparedStatement statement = connection.prepareStatement(insert)) {
                    fill(statement);
                    saw.note(statement.executeUpdate());
                    statement.setInt(1, 2);
                    for (int column = 2; column <= 27; column++) {
                        statement.setNull(column, column % 2 == 0 ? Types.VARCHAR : Types.INTEGER);
                    }
                    saw.note(statement.executeUpdate());
                }
                saw.note(Notebook.run(connection, "SELECT * FROM notes ORDER BY id"));
                try (PreparedStatement statement = connection.prepareStatement("SELECT * FROM notes WHERE id >= ? ORDER BY id")) {
                    statement.setInt(1, 1);
                    saw.note(Notebook.columns(statement.getMetaData()));
                    try (ResultSet found = statement.executeQuery()) {
                        saw.note(Notebook.columns(found.getMetaData()));
                        saw.note(Notebook.rows(found));
                    }
                    statement.setInt(1, 2);
                    saw.note(Notebook.rows(statement.executeQuery()));
                }
                try (Statement statement = connection.createStatement();
                        ResultSet found = statement.executeQuery("SELECT o, p, m, g, h, s FROM notes WHERE id = 1")) {
                    found.next();
                    saw.note(found.getObject(1, LocalDateTime.class), found.getTimestamp(2), found.getDate(3), found.getString(4),
                            found.getBigDecimal(5), found.getBytes(6));
                }
            }
        }
    }

    private static void fill(PreparedStatement statement) throws SQLException {
        statement.setInt(1, 1);
        statement.setByte(2, Byte.MIN_VALUE);
        statement.setBoolean(3, true);
        statement.setInt(4, 65535);
        statement.setInt(5, -8388608);
        statement.setLong(6, 4294967295L);
        statement.setLong(7, Long.MIN_VALUE);
        statement.setBigDecimal(8, new BigDecimal("18446744073709551615"));
        statement.setBigDecimal(9, new BigDecimal("-123456789012345.12345"));
        statement.setFloat(10, 1.5f);
        statement.setDouble(11, 1e-300);
        statement.setBoolean(12, true);
        statement.setBytes(13, new byte[] {10, (byte) 0xaa});
        statement.setObject(14, LocalDate.of(2024, 2, 29));
        statement.setString(15, "12:34:56.789");
        statement.setObject(16, LocalDateTime.of(9999, 12, 31, 23, 59, 59, 999999000));
        statement.setTimestamp(17, Timestamp.valueOf("2024-06-30 12:00:00.123456"));
        statement.setInt(18, 2155);
        statement.setString(19, "Zü");
        statement.setString(20, "naïve 😀 '\"\\\0\n");
        statement.setBytes(21, new byte[] {0, 1, -1});
        statement.setBytes(22, "\\'\"\0".getBytes(StandardCharsets.UTF_8));
        statement.setCharacterStream(23, new java.io.StringReader("ж".repeat(5000)));
        statement.setBinaryStream(24, new ByteArrayInputStream(new byte[100000]));
        statement.setString(25, "y");
        statement.setString(26, "p,q");
        statement.setString(27, "{\"k\": [1, null, \"ü\"]}");
    }

    private void orders(Notebook.Saw saw, String way) throws Exception {
        try (Connection connection = connect(Notebook.SHARDED, way)) {
            Notebook.setup(connection, "DROP TABLE IF EXISTS orders, contacts",
                    "CREATE TABLE orders (id BIGINT PRIMARY KEY, customer VARCHAR(20), total DECIMAL(9,2), KEY (customer))",
                    "CREATE TABLE contacts (id INT PRIMARY KEY, name VARCHAR(20), phone VARCHAR(200))");
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO orders (id, customer, total) VALUES (?, ?, ?)")) {
                for (int id = 0; id < 40; id++) {
                    insert.setLong(1, id);
                    insert.setString(2, "c" + id % 5);
                    insert.setBigDecimal(3, BigDecimal.valueOf(id * 25, 2));
                    insert.executeUpdate();
                }
            }
            for (String text : List.of("SELECT * FROM orders WHERE id = ?", "SELECT * FROM orders WHERE id IN (?, 7, 9) ORDER BY id DESC",
                    "SELECT customer, COUNT(*), SUM(total), AVG(total) FROM orders WHERE id > ? GROUP BY customer ORDER BY customer",
                    "SELECT id FROM orders WHERE id <> ? ORDER BY total DESC LIMIT 4 OFFSET 3", "SELECT * FROM orders WHERE id = -?",
                    "UPDATE orders SET total = total + 1 WHERE id < ?", "DELETE FROM orders WHERE id = ?",
                    "SELECT nothing FROM orders WHERE id = ?", "INSERT INTO orders (id) VALUES (? + 0), (1)")) {
                Notebook.Action action = () -> {
                    try (PreparedStatement statement = connection.prepareStatement(text)) {
                        statement.setInt(1, 13);
                        saw.note(text, Notebook.sets(statement, statement.execute()));
                    }
                };
                saw.note(Notebook.fault(action));
            }
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO contacts (id, name, phone) VALUES (?, ?, ?)");
                    PreparedStatement find = connection.prepareStatement("SELECT id, phone FROM contacts WHERE phone = ? ORDER BY id")) {
                for (String phone : new String[] {"1", "+41 😀", null}) {
                    insert.setInt(1, phone == null ? 0 : phone.length());
                    insert.setString(2, "n");
                    insert.setString(3, phone);
                    insert.addBatch();
                }
                saw.note(intList(insert.executeBatch()));
                find.setString(1, "+41 😀");
                saw.note(Notebook.rows(find.executeQuery()));
            }
            saw.note(Notebook.run(connection, "SELECT id, phone FROM contacts ORDER BY id"));
            saw.note(Notebook.fault(() -> Notebook.run(connection, "SELECT * FROM nowhere")));
        }
    }

    private static List<Integer> intList(int[] counts) {
        return java.util.Arrays.stream(counts).boxed().toList();
    }

    private void batches(Notebook.Saw saw, String way) throws Exception {
        for (String database : List.of(Notebook.PASSED, Notebook.SHARDED)) {
            try (Connection connection = connect(database, way)) {
                Notebook.setup(connection, "DROP TABLE IF EXISTS orders", "CREATE TABLE orders (id BIGINT PRIMARY KEY, v VARCHAR(30))");
                try (PreparedStatement statement = connection.prepareStatement("INSERT INTO orders (id, v) VALUES (?, ?)")) {
                    for (int id = 0; id < 500; id++) {
                        statement.setInt(1, id);
                        statement.setString(2, "v; '" + id);
                        statement.addBatch();
                    }
                    saw.note(intList(statement.executeBatch()));
                }
                saw.note(Notebook.run(connection, "SELECT COUNT(*), SUM(id), MAX(v) FROM orders"));
                try (PreparedStatement statement = connection.prepareStatement("UPDATE orders SET v = ? WHERE id = ?")) {
                    for (int id = 0; id < 20; id++) {
                        statement.setString(1, "u" + id);
                        statement.setInt(2, id * 50);
                        statement.addBatch();
                    }
                    saw.note(intList(statement.executeBatch()));
                }
                try (PreparedStatement statement = connection.prepareStatement(
                        "INSERT INTO orders (id, v) VALUES (?, ?) ON DUPLICATE KEY UPDATE v = VALUES(v)")) {
                    for (int id = 495; id < 505; id++) {
                        statement.setInt(1, id);
                        statement.setString(2, "d");
                        statement.addBatch();
                    }
                    saw.note(intList(statement.executeBatch()));
                }
                try (PreparedStatement statement = connection.prepareStatement("INSERT INTO orders (id, v) VALUES (?, 'e')")) {
                    for (int id : new int[] {600, 1, 601}) {
                        statement.setInt(1, id);
                        statement.addBatch();
                    }
                    saw.note(Notebook.fault(statement::executeBatch));
                }
                try (Statement statement = connection.createStatement()) {
                    for (int id = 700; id < 710; id++) {
                        statement.addBatch("INSERT INTO orders VALUES (" + id + ", 's')");
                    }
                    statement.addBatch("DELETE FROM orders WHERE id = 705");
                    saw.note(intList(statement.executeBatch()));
                }
                saw.note(Notebook.run(connection, "SELECT * FROM orders WHERE id % 50 = 0 OR id >= 495 ORDER BY id"));
            }
        }
    }

    private void transactions(Notebook.Saw saw, String way) throws Exception {
        try (Connection connection = connect(Notebook.SHARDED, way); Connection other = connect(Notebook.SHARDED, "")) {
            Notebook.setup(other, "DROP TABLE IF EXISTS orders", "CREATE TABLE orders (id BIGINT PRIMARY KEY, v INT)");
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            Notebook.setup(connection, "INSERT INTO orders VALUES (1, 1), (2, 2), (3, 3)");
            String all = "SELECT * FROM orders ORDER BY id";
            saw.note(Notebook.run(connection, all), Notebook.run(other, all));
            connection.rollback();
            saw.note(Notebook.run(connection, all));
            Notebook.setup(connection, "INSERT INTO orders VALUES (1, 1), (2, 2), (3, 3)");
            Savepoint named = connection.setSavepoint("named");
            Notebook.setup(connection, "DELETE FROM orders WHERE id < 3");
            Savepoint unnamed = connection.setSavepoint();
            Notebook.setup(connection, "DELETE FROM orders");
            connection.rollback(unnamed);
            saw.note(Notebook.run(connection, all));
            connection.rollback(named);
            connection.releaseSavepoint(named);
            saw.note(Notebook.fault(() -> Notebook.run(connection, "ROLLBACK TO SAVEPOINT named")));
            connection.commit();
            saw.note(Notebook.run(other, all));
            Notebook.setup(connection, "UPDATE orders SET v = 100");
            connection.setAutoCommit(true);
            saw.note(Notebook.run(other, all), Notebook.run(connection, "SELECT @@autocommit, @@transaction_isolation"));
            connection.setAutoCommit(false);
            Notebook.setup(connection, "UPDATE orders SET v = 200");
            connection.abort(Runnable::run);
            saw.note(Notebook.run(other, "SELECT * FROM orders ORDER BY id FOR UPDATE"));
        }
    }

    private void generatedKeys(Notebook.Saw saw) throws Exception {
        try (Connection connection = connect(Notebook.PASSED, "rewriteBatchedStatements=true")) {
            Notebook.setup(connection, "DROP TABLE IF EXISTS counted", "CREATE TABLE counted (id INT AUTO_INCREMENT PRIMARY KEY, v INT)");
            try (PreparedStatement statement =
                    connection.prepareStatement("INSERT INTO counted (v) VALUES (?)", Statement.RETURN_GENERATED_KEYS)) {
                for (int v = 0; v < 5; v++) {
                    statement.setInt(1, v);
                    statement.addBatch();
                }
                saw.note(intList(statement.executeBatch()), Notebook.rows(statement.getGeneratedKeys()));
                statement.setInt(1, 9);
                saw.note(statement.executeUpdate(), Notebook.rows(statement.getGeneratedKeys()));
            }
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate("INSERT INTO counted (v) VALUES (1), (2)", Statement.RETURN_GENERATED_KEYS);
                saw.note(Notebook.rows(statement.getGeneratedKeys()));
            }
            try (Statement statement = connection.createStatement(ResultSet.TYPE_SCROLL_SENSITIVE, ResultSet.CONCUR_UPDATABLE);
                    ResultSet found = statement.executeQuery("SELECT id, v FROM counted ORDER BY id")) {
                found.absolute(3);
                found.updateInt(2, 77);
                found.updateRow();
                found.moveToInsertRow();
                found.updateInt(2, 78);
                found.insertRow();
                found.first();
                found.deleteRow();
            }
            saw.note(Notebook.run(connection, "SELECT * FROM counted ORDER BY id"));
        }
    }

    private void metadata(Notebook.Saw saw) throws Exception {
        try (Connection connection = connect(Notebook.SHARDED, "")) {
            Notebook.setup(connection, "DROP TABLE IF EXISTS orders, notes, contacts, plain_child, plain",
                    "CREATE TABLE orders (id BIGINT PRIMARY KEY, customer VARCHAR(20) NOT NULL DEFAULT 'x' COMMENT 'who', KEY k (customer))",
                    "CREATE TABLE plain (id INT AUTO_INCREMENT PRIMARY KEY, u DECIMAL(5,2) UNSIGNED, UNIQUE KEY uk (u))",
                    "CREATE TABLE plain_child (id INT PRIMARY KEY, p INT, CONSTRAINT fk FOREIGN KEY (p) REFERENCES plain (id) ON DELETE CASCADE)");
            for (String use : List.of("", "useInformationSchema=true")) {
                try (Connection asking = connect(Notebook.SHARDED, use)) {
                    DatabaseMetaData data = asking.getMetaData();
                    String here = Notebook.SHARDED;
                    saw.note("tables", Notebook.rows(data.getTables(here, null, "%", new String[] {"TABLE"})));
                    saw.note("columns", Notebook.rows(data.getColumns(here, null, "orders", "%")));
                    saw.note("plain columns", Notebook.rows(data.getColumns(here, null, "plain", "%")));
                    saw.note("keys", Notebook.rows(data.getPrimaryKeys(here, null, "orders")));
                    saw.note("indexes", Notebook.rows(data.getIndexInfo(here, null, "plain", true, true)));
                    saw.note("imported", Notebook.rows(data.getImportedKeys(here, null, "plain_child")));
                    saw.note("exported", Notebook.texts(data.getExportedKeys(here, null, "plain")));
                    saw.note("procedures", Notebook.rows(data.getProcedures(here, null, "%")));
                    saw.note("best row", Notebook.rows(data.getBestRowIdentifier(here, null, "orders", 0, true)));
                    saw.note("types", Notebook.rows(data.getTypeInfo()));
                    saw.note(data.getIdentifierQuoteString(), data.supportsTransactions(), data.getMaxStatementLength(),
                            data.storesLowerCaseIdentifiers(), data.supportsSavepoints());
                }
            }
        }
    }

    private void callable(Notebook.Saw saw) throws Exception {
        for (String way : WAYS) {
            try (Connection connection = connect(Notebook.PASSED, way)) {
                Notebook.setup(connection, "DROP PROCEDURE IF EXISTS p", "DROP FUNCTION IF EXISTS f",
                        "CREATE PROCEDURE p(IN a INT, INOUT b INT, OUT c VARCHAR(20)) BEGIN SELECT a, b; SET b = a + b; "
                                + "SET c = CONCAT('out ', b); SELECT 'two' AS t UNION SELECT 'rows'; END",
                        "CREATE FUNCTION f(a INT) RETURNS INT DETERMINISTIC RETURN a * 2");
                try (CallableStatement call = connection.prepareCall("{call p(?, ?, ?)}")) {
                    call.setInt(1, 3);
                    call.setInt(2, 4);
                    call.registerOutParameter(2, Types.INTEGER);
                    call.registerOutParameter(3, Types.VARCHAR);
                    saw.note(Notebook.sets(call, call.execute()));
                    saw.note(call.getInt(2), call.getString(3));
                }
                try (CallableStatement call = connection.prepareCall("{? = call f(?)}")) {
                    call.registerOutParameter(1, Types.INTEGER);
                    call.setInt(2, 21);
                    call.execute();
                    saw.note(call.getInt(1));
                }
                saw.note(Notebook.fault(() -> Notebook.run(connection, "CALL nothing()")));
            }
        }
    }

    private void several(Notebook.Saw saw) throws Exception {
        try (Connection connection = connect(Notebook.SHARDED, "allowMultiQueries=true")) {
            Notebook.setup(connection, "DROP TABLE IF EXISTS orders; CREATE TABLE orders (id BIGINT PRIMARY KEY, v INT)");
            saw.note(Notebook.run(connection, "INSERT INTO orders VALUES (1, 1), (2, 2); SELECT * FROM orders ORDER BY id; "
                    + "UPDATE orders SET v = 5; SELECT 'a;b'; SET @x = 1; SELECT COUNT(*) FROM orders"));
            try (PreparedStatement statement = connection.prepareStatement("SELECT ?; SELECT v FROM orders WHERE id = ?")) {
                statement.setString(1, "x;y");
                statement.setInt(2, 2);
                saw.note(Notebook.sets(statement, statement.execute()));
            }
            saw.note(Notebook.fault(() -> Notebook.run(connection, "SELECT 1; SELECT * FROM nowhere; DELETE FROM orders")));
            saw.note(Notebook.run(connection, "SELECT COUNT(*) FROM orders"));
        }
        try (Connection connection = connect(Notebook.SHARDED, "")) {
            try {
                saw.note(Notebook.run(connection, "DO 1; DO 2"));
            } catch (SQLException error) {
                saw.note(error.getErrorCode());
            }
        }
    }

    private static void fillNotes(Connection connection) throws SQLException {
        Notebook.setup(connection, "DROP TABLE IF EXISTS notes", "CREATE TABLE notes (id INT PRIMARY KEY, v VARCHAR(100))");
        for (int start = 0; start < 4000; start += 1000) {
            List<String> rows = new ArrayList<>();
            for (int id = start; id < start + 1000; id++) {
                rows.add("(" + id + ", '" + "v".repeat(id % 90) + "')");
            }
            Notebook.setup(connection, "INSERT INTO notes VALUES " + String.join(", ", rows));
        }
    }

    private static long sum(ResultSet found) throws SQLException {
        long sum = 0;
        try (found) {
            while (found.next()) {
                sum = (sum * 31 + found.getInt(1) + found.getString(2).length()) % 1000003;
            }
        }
        return sum;
    }

    private void stream(Notebook.Saw saw) throws Exception {
        try (Connection connection = connect(Notebook.SHARDED, "")) {
            fillNotes(connection);
            try (Statement statement = connection.createStatement()) {
                statement.setFetchSize(Integer.MIN_VALUE);
                saw.note(sum(statement.executeQuery("SELECT * FROM notes ORDER BY id")));
            }
            try (Statement statement = connection.createStatement()) {
                ((JdbcStatement) statement).enableStreamingResults();
                try (ResultSet found = statement.executeQuery("SELECT id, v FROM notes ORDER BY id")) {
                    found.next();
                    saw.note(found.getInt(1), Notebook.fault(() -> Notebook.run(connection, "SELECT 1")) instanceof List);
                }
            }
            saw.note(Notebook.run(connection, "SELECT 1"));
        }
    }

    private void cursor(Notebook.Saw saw) throws Exception {
        for (String database : List.of(Notebook.PASSED, Notebook.SHARDED)) {
            try (Connection connection = connect(database, "useCursorFetch=true&defaultFetchSize=100")) {
                fillNotes(connection);
                for (String text : List.of("SELECT id, v FROM notes ORDER BY id", "SELECT id, v FROM notes WHERE id < 3 ORDER BY id",
                        "SELECT id, v FROM notes WHERE id = 7", "SELECT id, v FROM notes WHERE id < 0")) {
                    try (Statement statement = connection.createStatement()) {
                        saw.note(text, sum(statement.executeQuery(text)));
                    }
                }
                try (PreparedStatement statement = connection.prepareStatement("SELECT id, v FROM notes WHERE id >= ? ORDER BY id")) {
                    statement.setFetchSize(50);
                    for (int from : new int[] {0, 3500, 9000}) {
                        statement.setInt(1, from);
                        saw.note(from, sum(statement.executeQuery()));
                    }
                    // Left half read, with other statements beside it and the same one anew.
                    statement.setInt(1, 0);
                    ResultSet half = statement.executeQuery();
                    for (int row = 0; row < 60; row++) {
                        half.next();
                    }
                    saw.note(half.getInt(1), Notebook.run(connection, "SELECT COUNT(*) FROM notes"));
                    half.next();
                    saw.note(half.getInt(1));
                    statement.setInt(1, 3990);
                    saw.note(sum(statement.executeQuery()));
                }
                connection.setAutoCommit(false);
                try (Statement statement = connection.createStatement()) {
                    ResultSet found = statement.executeQuery("SELECT id, v FROM notes ORDER BY id DESC");
                    found.next();
                    Notebook.setup(connection, "UPDATE notes SET v = 'changed' WHERE id < 5");
                    saw.note(sum(found));
                }
                connection.rollback();
            }
        }
    }

    private void localInfile(Notebook.Saw saw) throws Exception {
        Path file = Path.of(Notebook.FOLDER, "rows.csv");
        StringBuilder text = new StringBuilder();
        for (int id = 0; id < 20000; id++) {
            text.append(id).append(",text ").append(id).append(" ü\n");
        }
        Files.writeString(file, text);
        String load = "LOAD DATA LOCAL INFILE '" + file + "' INTO TABLE loaded FIELDS TERMINATED BY ','";
        try (Connection connection = connect(Notebook.PASSED, "allowLoadLocalInfile=true")) {
            Notebook.setup(connection, "DROP TABLE IF EXISTS loaded", "CREATE TABLE loaded (id INT PRIMARY KEY, v VARCHAR(40))");
            saw.note(Notebook.run(connection, load));
            saw.note(Notebook.run(connection, "SELECT COUNT(*), SUM(id), MAX(v) FROM loaded"));
            try (Statement statement = connection.createStatement()) {
                ((JdbcStatement) statement).setLocalInfileInputStream(
                        new ByteArrayInputStream("100000,from a stream\n".getBytes(StandardCharsets.UTF_8)));
                saw.note(statement.executeUpdate(load.replace("rows.csv", "none")));
            }
            saw.note(Notebook.run(connection, "SELECT * FROM loaded WHERE id = 100000"));
        }
        try (Connection connection = connect(Notebook.PASSED, "")) {
            saw.note(Notebook.fault(() -> Notebook.run(connection, load)));
            saw.note(Notebook.run(connection, "SELECT 1"));
        }
    }

    private void compress(Notebook.Saw saw) throws Exception {
        try (Connection connection = connect(Notebook.PASSED, "useCompression=true&useServerPrepStmts=true")) {
            saw.note(Notebook.run(connection, "SELECT REPEAT('compress ', 20000)"));
            Notebook.setup(connection, "DROP TABLE IF EXISTS big", "CREATE TABLE big (id INT PRIMARY KEY, v LONGBLOB)");
            blobs(saw, connection, 0, 40, 100000, 17 << 20);
        }
    }

    private void big(Notebook.Saw saw) throws Exception {
        try (Connection connection = connect(Notebook.PASSED, "useServerPrepStmts=true")) {
            Notebook.setup(connection, "DROP TABLE IF EXISTS big", "CREATE TABLE big (id INT PRIMARY KEY, v LONGBLOB)");
            blobs(saw, connection, (1 << 24) - 30, (1 << 24) - 1, 1 << 24, 20 << 20);
            Notebook.setup(connection, "DROP TABLE big");
        }
    }

    private static void blobs(Notebook.Saw saw, Connection connection, int... sizes) throws SQLException {
        for (int size : sizes) {
            byte[] value = new byte[size];
            java.util.Arrays.fill(value, (byte) 'x');
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO big VALUES (?, ?)");
                    PreparedStatement find = connection.prepareStatement("SELECT v FROM big WHERE id = ?")) {
                insert.setInt(1, size);
                insert.setBinaryStream(2, new ByteArrayInputStream(value));
                saw.note(insert.executeUpdate());
                find.setInt(1, size);
                try (ResultSet found = find.executeQuery()) {
                    found.next();
                    saw.note(size, java.util.Arrays.equals(found.getBytes(1), value));
                }
            }
        }
        saw.note(Notebook.run(connection, "SELECT id, LENGTH(v) FROM big ORDER BY id"));
    }

    private void changeUser(Notebook.Saw saw) throws Exception {
        try (Connection connection = connect(Notebook.SHARDED, "")) {
            Notebook.setup(connection, "SET @a = 1", "SET SESSION sql_mode = ''", "USE " + Notebook.PASSED);
            var jdbc = connection.unwrap(com.mysql.cj.jdbc.JdbcConnection.class);
            jdbc.changeUser(Notebook.USER, Notebook.PASSWORD);
            saw.note(Notebook.run(connection, "SELECT @a, DATABASE(), @@sql_mode = ''"));
            Notebook.setup(connection, "SET @a = 1", "CREATE TEMPORARY TABLE gone (id INT)");
            jdbc.resetServerState();
            saw.note(Notebook.run(connection, "SELECT @a"));
            saw.note(Notebook.fault(() -> Notebook.run(connection, "SELECT * FROM gone")));
        }
    }

    private void timeZones(Notebook.Saw saw) throws Exception {
        for (String options : List.of("connectionTimeZone=SERVER", "connectionTimeZone=%2B05:30&forceConnectionTimeZoneToSession=true",
                "connectionTimeZone=LOCAL", "preserveInstants=false")) {
            try (Connection connection = connect(Notebook.PASSED, options)) {
                Notebook.setup(connection, "DROP TABLE IF EXISTS moments", "CREATE TABLE moments (t TIMESTAMP(3) NULL, d DATETIME(3))");
                try (PreparedStatement statement = connection.prepareStatement("INSERT INTO moments VALUES (?, ?)")) {
                    Timestamp moment = new Timestamp(1_700_000_000_123L);
                    statement.setTimestamp(1, moment);
                    statement.setTimestamp(2, moment);
                    statement.executeUpdate();
                }
                saw.note(options, Notebook.run(connection, "SELECT t, d, CAST(t AS CHAR), CAST(d AS CHAR), @@time_zone FROM moments"));
            }
        }
    }

    private void timeout(Notebook.Saw saw) throws Exception {
        try (Connection connection = connect(Notebook.PASSED, "")) {
            try (Statement statement = connection.createStatement()) {
                statement.setQueryTimeout(1);
                saw.note(Notebook.fault(() -> statement.execute("SELECT SLEEP(30)")));
            }
            saw.note(Notebook.run(connection, "SELECT 1"));
            try (Statement statement = connection.createStatement()) {
                Thread canceller = new Thread(() -> {
                    try (Connection watcher = connect(Notebook.PASSED, "")) {
                        String busy = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE 'DO SLEEP(29)%'";
                        for (int look = 0; look < 3000 && !Notebook.run(watcher, busy).toString().equals("[[[1]]]"); look++) {
                            Thread.onSpinWait();
                        }
                        statement.cancel();
                    } catch (SQLException error) {
                        throw new IllegalStateException(error);
                    }
                });
                canceller.start();
                saw.note(Notebook.fault(() -> statement.execute("DO SLEEP(29)")));
                canceller.join();
            }
            saw.note(Notebook.run(connection, "SELECT 2"));
        }
    }

    private void statements(Notebook.Saw saw) throws Exception {
        try (Connection connection = connect(Notebook.SHARDED,
                "useServerPrepStmts=true&cachePrepStmts=true&prepStmtCacheSize=50&prepStmtCacheSqlLimit=2048")) {
            Notebook.setup(connection, "DROP TABLE IF EXISTS orders", "CREATE TABLE orders (id BIGINT PRIMARY KEY, v INT)",
                    "INSERT INTO orders VALUES (1, 1), (2, 2), (3, 3)");
            long sum = 0;
            for (int turn = 0; turn < 400; turn++) {
                String text = "SELECT v + " + turn % 120 + " FROM orders WHERE id = ?";
                try (PreparedStatement statement = connection.prepareStatement(text)) {
                    statement.setInt(1, turn % 3 + 1);
                    try (ResultSet found = statement.executeQuery()) {
                        found.next();
                        sum += found.getInt(1);
                    }
                }
            }
            saw.note(sum);
            // The driver itself does not bear another number of columns.
            try (PreparedStatement statement = connection.prepareStatement("SELECT * FROM orders WHERE id = ?")) {
                statement.setInt(1, 2);
                saw.note(Notebook.rows(statement.executeQuery()));
                Notebook.setup(connection, "ALTER TABLE orders MODIFY v VARCHAR(20)");
                saw.note(Notebook.rows(statement.executeQuery()));
                saw.note(statement.getParameterMetaData().getParameterCount());
            }
            saw.note(Notebook.fault(() -> connection.prepareStatement("SELECT * FROM nowhere WHERE id = ?")));
        }
    }

    private void hikari(Notebook.Saw saw) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:mysql://" + Notebook.HOST + ":" + Notebook.PORT + "/" + Notebook.SHARDED
                + "?allowPublicKeyRetrieval=true&sslMode=DISABLED&" + WAYS.get(2));
        config.setUsername(Notebook.USER);
        config.setPassword(Notebook.PASSWORD);
        config.setMaximumPoolSize(30);
        config.setConnectionTimeout(60000);
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        config.setConnectionInitSql("SET @pool = 'mine'");
        ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
        try (HikariDataSource pool = new HikariDataSource(config)) {
            try (Connection connection = pool.getConnection()) {
                Notebook.setup(connection, "DROP TABLE IF EXISTS orders", "CREATE TABLE orders (id BIGINT PRIMARY KEY, v INT)");
                for (int id = 0; id < 50; id++) {
                    Notebook.setup(connection, "INSERT INTO orders VALUES (" + id + ", 0)");
                }
            }
            List<Thread> threads = new ArrayList<>();
            for (int number = 0; number < 50; number++) {
                int id = number;
                threads.add(new Thread(() -> work(pool, id, wrong)));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            saw.note(wrong.stream().limit(5).toList());
            try (Connection connection = pool.getConnection()) {
                saw.note(Notebook.run(connection, "SELECT COUNT(*), SUM(v), MIN(v), MAX(v) FROM orders"));
                saw.note(Notebook.run(connection, "SELECT @pool, @@transaction_isolation"));
            }
        }
    }

    private static void work(HikariDataSource pool, int id, ConcurrentLinkedQueue<String> wrong) {
        for (int turn = 0; turn < 6; turn++) {
            try (Connection connection = pool.getConnection()) {
                connection.setAutoCommit(false);
                try (PreparedStatement update = connection.prepareStatement("UPDATE orders SET v = v + 1 WHERE id = ?");
                        PreparedStatement find = connection.prepareStatement("SELECT id, @@transaction_isolation FROM orders WHERE id = ?")) {
                    update.setInt(1, id);
                    find.setInt(1, id);
                    int changed = update.executeUpdate();
                    String seen = Notebook.rows(find.executeQuery()).toString();
                    if (changed != 1 || !seen.equals("[[" + id + ", READ-COMMITTED]]")) {
                        wrong.add(id + ": " + changed + " " + seen);
                    }
                }
                if (turn % 3 == 2) {
                    connection.rollback();
                } else {
                    connection.commit();
                }
            } catch (SQLException error) {
                wrong.add(id + ": " + error);
            }
        }
    }
}
