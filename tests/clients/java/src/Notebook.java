import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the program writes down: one JSON object for each check. */
final class Notebook {
    static final String HOST = System.getenv("WEIR_HOST");
    static final String PORT = System.getenv("WEIR_PORT");
    static final String USER = System.getenv("WEIR_USER");
    static final String PASSWORD = System.getenv("WEIR_PASSWORD");
    static final String SHARDED = System.getenv("WEIR_SHARDED");
    static final String PASSED = System.getenv("WEIR_PASSED");
    static final String AUTHORITY = System.getenv("WEIR_AUTHORITY");
    static final String STRANGER = System.getenv("WEIR_STRANGER");
    static final String FOLDER = System.getenv("WEIR_FOLDER");

    private static final Set<String> SKIPPED =
            Set.copyOf(Arrays.asList(System.getenv().getOrDefault("WEIR_SKIP", "-").split(",")));

    private int count;

    /** A check; it notes whatever is to be the same on both sides. */
    interface Check {
        void run(Saw saw) throws Exception;
    }

    /** Something that may raise an error. */
    interface Action {
        void run() throws Exception;
    }

    /** The values that one check saw. */
    static final class Saw {
        private final List<String> values = new ArrayList<>();

        void note(Object... seen) {
            values.add(json(Arrays.asList(seen)));
        }
    }

    void check(String name, Check check) {
        if (SKIPPED.contains(name)) {
            return;
        }
        count++;
        Saw saw = new Saw();
        String unexpected = "";
        try {
            check.run(saw);
        } catch (Exception | AssertionError error) {
            error.printStackTrace();
            unexpected = ",\"unexpected\":" + json(error.toString());
        }
        System.out.println("{\"check\":" + json(name) + ",\"saw\":[" + String.join(",", saw.values) + "]" + unexpected + "}");
    }

    /** The last line tells that the program came to its end. */
    void close() {
        System.out.println("{\"check\":\"end\",\"saw\":" + count + "}");
    }

    /** What is raised: number, state, text. */
    static Object fault(Action action) throws Exception {
        try {
            action.run();
            return "nothing raised";
        } catch (SQLException error) {
            return List.of(error.getClass().getSimpleName(), error.getErrorCode(), String.valueOf(error.getSQLState()),
                    String.valueOf(error.getMessage()));
        }
    }

    /** All that a text gives: results and counts. */
    static Object run(Connection connection, String text) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return sets(statement, statement.execute(text));
        }
    }

    /** Runs statements of which nothing is to be noted. */
    static void setup(Connection connection, String... texts) throws SQLException {
        for (String text : texts) {
            run(connection, text);
        }
    }

    /** All results of an executed statement. */
    static Object sets(Statement statement, boolean isRows) throws SQLException {
        List<Object> sets = new ArrayList<>();
        boolean rows = isRows;
        while (rows || statement.getUpdateCount() != -1) {
            if (rows) {
                sets.add(rows(statement.getResultSet()));
            } else {
                sets.add(statement.getUpdateCount());
            }
            rows = statement.getMoreResults();
        }
        return sets;
    }

    static Object rows(ResultSet found) throws SQLException {
        List<Object> rows = new ArrayList<>();
        try (found) {
            int columns = found.getMetaData().getColumnCount();
            while (found.next()) {
                List<Object> row = new ArrayList<>();
                for (int column = 1; column <= columns; column++) {
                    row.add(found.getObject(column));
                }
                rows.add(row);
            }
        }
        return rows;
    }

    /** The rows as texts, sorted: whether an expression over the schema is INT or BIGINT is not told as one server does. */
    static Object texts(ResultSet found) throws SQLException {
        List<Object> rows = new ArrayList<>();
        try (found) {
            while (found.next()) {
                List<Object> row = new ArrayList<>();
                for (int column = 1; column <= found.getMetaData().getColumnCount(); column++) {
                    row.add(found.getString(column));
                }
                rows.add(row);
            }
        }
        // Which of rows with equal keys comes first is the server's affair.
        rows.sort(Comparator.comparing(Object::toString));
        return rows;
    }

    static Object columns(ResultSetMetaData data) throws SQLException {
        List<Object> columns = new ArrayList<>();
        for (int column = 1; column <= data.getColumnCount(); column++) {
            columns.add(List.of(data.getColumnLabel(column), data.getColumnName(column), data.getTableName(column),
                    data.getColumnTypeName(column), data.getColumnType(column), data.getPrecision(column),
                    data.getScale(column), data.isNullable(column), data.isSigned(column), data.isAutoIncrement(column),
                    data.getCatalogName(column), data.getColumnClassName(column), data.getColumnDisplaySize(column)));
        }
        return columns;
    }

    private static String json(Object value) {
        if (value == null) {
            return "null";
        }
        if (value instanceof Boolean || value instanceof Integer) {
            return value.toString();
        }
        if (value instanceof List<?> list) {
            return "[" + String.join(",", list.stream().map(Notebook::json).toList()) + "]";
        }
        if (value instanceof Map<?, ?> map) {
            return json(map.entrySet().stream().map(entry -> List.of(entry.getKey(), entry.getValue())).toList());
        }
        if (value instanceof byte[] bytes) {
            return json(bytes.length > 200 ? bytes.length + " bytes" : "bytes " + HexFormat.of().formatHex(bytes));
        }
        if (value instanceof BigDecimal number) {
            return json("decimal " + number.toPlainString());
        }
        if (!(value instanceof String)) {
            return json(value.getClass().getSimpleName() + " " + value);
        }
        String text = (String) value;
        if (text.length() > 2000) {
            return json(text.length() + " characters " + text.substring(0, 20));
        }
        StringBuilder quoted = new StringBuilder("\"");
        for (char letter : text.toCharArray()) {
            if (letter == '"' || letter == '\\') {
                quoted.append('\\').append(letter);
            } else if (letter < ' ' || letter > '~') {
                quoted.append(String.format("\\u%04x", (int) letter));
            } else {
                quoted.append(letter);
            }
        }
        return quoted.append('"').toString();
    }
}
