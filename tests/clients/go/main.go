// Checks of go-sql-driver/mysql: the same on one MySQL and through the proxy.
package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"
)

func main() {
	check("login", login)
	check("tls", encryption)
	for _, options := range []string{"", "interpolateParams=true"} {
		check(strings.TrimSpace("types "+options), func(n *notes) { types(n, options) })
		check(strings.TrimSpace("orders "+options), func(n *notes) { orders(n, options) })
		check(strings.TrimSpace("contacts "+options), func(n *notes) { contacts(n, options) })
	}
	check("transactions", transactions)
	check("parameters", parameters)
	check("settings", settings)
	check("multi", multi)
	check("call", call)
	check("compress", compress)
	check("cancel", cancel)
	check("process_list", processList)
	check("local_infile", localFile)
	check("big", big)
	check("statements", statements)
	check("pool", pool)
	check("found_rows", foundRows)
	write(map[string]any{"check": "end", "saw": checks})
}

func login(n *notes) {
	db := open(sharded, "")
	defer db.Close()
	n.saw(rows(db, "SELECT DATABASE(), CURRENT_USER(), @@character_set_client, @@autocommit"))
	for _, dsn := range []string{
		fmt.Sprintf("%s:wrong@tcp(%s:%s)/", user, host, port),
		fmt.Sprintf("%s@tcp(%s:%s)/", user, host, port),
		fmt.Sprintf("%s:%s@tcp(%s:%s)/there_is_none", user, password, host, port),
		fmt.Sprintf("%s:%s@tcp(%s:%s)/?charset=latin1&collation=latin1_bin&sql_mode=%%27ANSI%%27", user, password, host, port),
		fmt.Sprintf("%s:%s@tcp(%s:%s)/?no_such_variable=1", user, password, host, port),
	} {
		db, err := sql.Open("mysql", dsn)
		must(err)
		n.saw(rows(db, "SELECT @@collation_connection, @@sql_mode"))
		db.Close()
	}
}

func encryption(n *notes) {
	for _, file := range []string{"WEIR_AUTHORITY", "WEIR_STRANGER"} {
		pem, err := os.ReadFile(os.Getenv(file))
		must(err)
		trusted := x509.NewCertPool()
		trusted.AppendCertsFromPEM(pem)
		for _, name := range []string{"localhost", "elsewhere"} {
			must(mysql.RegisterTLSConfig(file+name, &tls.Config{RootCAs: trusted, ServerName: name}))
			db := open(sharded, "tls="+file+name)
			n.saw(file, name, rows(db, "SELECT 1"))
			db.Close()
		}
	}
	for _, options := range []string{"tls=skip-verify", "tls=preferred", "tls=false", "tls=true"} {
		db := open(sharded, options)
		n.saw(options, rows(db, "SELECT 1"))
		db.Close()
	}
}

const everything = `id INT PRIMARY KEY, a TINYINT, b TINYINT UNSIGNED, c SMALLINT, d MEDIUMINT, e INT UNSIGNED, f BIGINT,
	g BIGINT UNSIGNED, h DECIMAL(20,5), i FLOAT, j DOUBLE, k BIT(10), l DATE, m TIME(3), n DATETIME(6), o TIMESTAMP NULL,
	p YEAR, q CHAR(5), r VARCHAR(50), s BINARY(3), t VARBINARY(10), u TEXT, v BLOB, w ENUM('x','y'), x SET('p','q'), y JSON,
	z GEOMETRY`

func types(n *notes, options string) {
	for _, database := range []string{passed, sharded} {
		for _, more := range []string{"", "parseTime=true&loc=Europe%2FZurich"} {
			db := open(database, strings.Trim(options+"&"+more, "&"))
			setup(db, "DROP TABLE IF EXISTS notes", "CREATE TABLE notes ("+everything+")")
			insert := "INSERT INTO notes VALUES (" + strings.Repeat("?, ", 26) + "ST_GeomFromText(?))"
			moment := time.Date(2024, 2, 29, 23, 59, 59, 123456000, time.UTC)
			n.saw(exec(db, insert, 1, int8(-128), uint8(255), int16(-32768), -8388608, uint32(math.MaxUint32),
				int64(math.MinInt64), uint64(math.MaxUint64), "-123456789012345.12345", float32(1.5), 1e300, []byte{2, 170},
				moment, "-12:34:56.789", moment, moment, 2024, "Zürich"[:5], "😀'\\\"\x00\n", []byte{0, 255, 92}, []byte{39, 0},
				strings.Repeat("x", 300), bytes.Repeat([]byte{0, 1, 2}, 50), "y", "p,q", `{"a": [1, null]}`, "POINT(1 2)"))
			nulls := make([]any, 27)
			nulls[0] = 2
			n.saw(exec(db, insert, nulls...))
			n.saw(exec(db, "INSERT INTO notes (id, l, n) VALUES (3, '2000-01-01', '1000-01-01 00:00:00')"))
			n.saw(rows(db, "SELECT * FROM notes ORDER BY id"))
			n.saw(rows(db, "SELECT * FROM notes WHERE id = ?", 1))
			n.saw(rows(db, "SELECT * FROM notes WHERE id IN (?, ?, ?) ORDER BY id", 1, 2, 3))
			db.Close()
		}
	}
}

func orders(n *notes, options string) {
	db := open(sharded, options)
	defer db.Close()
	setup(db, "DROP TABLE IF EXISTS orders",
		"CREATE TABLE orders (id BIGINT PRIMARY KEY, customer VARCHAR(40), total DECIMAL(10,2), KEY (customer))")
	insert, err := db.Prepare("INSERT INTO orders (id, customer, total) VALUES (?, ?, ?)")
	must(err)
	for id := range 50 {
		_, err := insert.Exec(id, fmt.Sprint("c", id%5), float64(id)/4)
		must(err)
	}
	insert.Close()
	for _, query := range []string{
		"SELECT * FROM orders WHERE id = ?",
		"SELECT customer, COUNT(*), SUM(total), AVG(total) FROM orders WHERE id <> ? GROUP BY customer ORDER BY customer",
		"SELECT id, total FROM orders WHERE id > ? ORDER BY total DESC LIMIT 7",
		"SELECT COUNT(*), MAX(customer) FROM orders WHERE id < ?",
		"SELECT * FROM orders WHERE id = -?",
		"SELECT nothing FROM orders WHERE id = ?",
		"SELECT * FROM nowhere WHERE id = ?",
	} {
		n.saw(query, rows(db, query, 13))
	}
	n.saw(exec(db, "UPDATE orders SET total = total + ? WHERE customer = ?", 1, "c2"))
	n.saw(exec(db, "DELETE FROM orders WHERE id IN (?, ?, ?)", 1, 2, 300))
	n.saw(exec(db, "INSERT INTO orders VALUES (?, ?, ?)", 3, "x", nil))
	n.saw(rows(db, "SELECT COUNT(*), SUM(total) FROM orders"))
}

func contacts(n *notes, options string) {
	db := open(sharded, options)
	defer db.Close()
	setup(db, "DROP TABLE IF EXISTS contacts", "CREATE TABLE contacts (id INT PRIMARY KEY, name VARCHAR(20), phone VARCHAR(200))")
	for id, phone := range []any{"1234", "ü😀", nil, ""} {
		n.saw(exec(db, "INSERT INTO contacts (id, name, phone) VALUES (?, ?, ?)", id, "n", phone))
	}
	n.saw(rows(db, "SELECT id, phone FROM contacts WHERE phone = ? ORDER BY id", "ü😀"))
	n.saw(rows(db, "SELECT id, phone FROM contacts WHERE id >= ? ORDER BY id", 0))
	n.saw(exec(db, "UPDATE contacts SET phone = ? WHERE phone = ?", "4321", "1234"))
	n.saw(rows(db, "SELECT id, phone FROM contacts ORDER BY id"))
}

func transactions(n *notes) {
	db := open(sharded, "")
	defer db.Close()
	setup(db, "DROP TABLE IF EXISTS orders", "CREATE TABLE orders (id BIGINT PRIMARY KEY, v INT)")
	ctx := context.Background()
	for _, options := range []*sql.TxOptions{nil, {Isolation: sql.LevelReadCommitted}, {Isolation: sql.LevelSerializable, ReadOnly: true}} {
		tx, err := db.BeginTx(ctx, options)
		must(err)
		n.saw(exec(tx, "INSERT INTO orders VALUES (1, 1), (2, 2), (3, 3)"))
		n.saw(rows(tx, "SELECT * FROM orders ORDER BY id"), rows(db, "SELECT COUNT(*) FROM orders"))
		n.saw(tx.Rollback())
		n.saw(rows(db, "SELECT COUNT(*) FROM orders"))
	}
	tx, err := db.Begin()
	must(err)
	prepared, err := tx.Prepare("INSERT INTO orders VALUES (?, ?)")
	must(err)
	for id := range 10 {
		_, err = prepared.Exec(id, id)
		must(err)
	}
	n.saw(exec(tx, "SAVEPOINT a"), exec(tx, "DELETE FROM orders"), exec(tx, "ROLLBACK TO a"), exec(tx, "RELEASE SAVEPOINT b"))
	n.saw(tx.Commit(), rows(db, "SELECT COUNT(*), SUM(v) FROM orders"))
	// A context that ends rolls back.
	bounded, end := context.WithCancel(ctx)
	tx, err = db.BeginTx(bounded, nil)
	must(err)
	n.saw(exec(tx, "UPDATE orders SET v = 100"))
	end()
	for tries := 0; tries < 200; tries++ {
		if err = tx.Commit(); err != nil {
			break
		}
	}
	n.saw(err.Error() == "context canceled" || err == sql.ErrTxDone)
	settled(db)
	n.saw(rows(db, "SELECT SUM(v) FROM orders"))
}

// settled returns when nothing of a transaction that was given up holds rows any more.
func settled(db *sql.DB) {
	tx, err := db.Begin()
	must(err)
	_, err = tx.Query("SELECT * FROM orders ORDER BY id FOR UPDATE")
	must(err)
	must(tx.Rollback())
}

func parameters(n *notes) {
	for _, options := range []string{"", "interpolateParams=true"} {
		db := open(passed, options)
		for _, value := range []any{nil, true, 0, -1, int64(math.MaxInt64), uint64(math.MaxUint64), 1.5, math.SmallestNonzeroFloat64,
			"", "it's", "\x00\x1a\\", []byte(nil), []byte{}, []byte{255}, time.Time{}, time.Unix(0, 1000).UTC()} {
			n.saw(options, rows(db, "SELECT ?, HEX(?), ? IS NULL", value, value, value))
		}
		n.saw(rows(db, "SELECT ?", strings.Repeat("long ", 100000)))
		n.saw(rows(db, "SELECT '?', `a?` FROM (SELECT ? AS `a?`) t -- ?", 1))
		n.saw(rows(db, "SELECT ?, ?", 1))
		db.Close()
	}
}

func settings(n *notes) {
	db := open(sharded, "time_zone=%27%2B02%3A00%27&parseTime=true&loc=UTC&charset=utf8mb4,utf8&clientFoundRows=true")
	defer db.Close()
	n.saw(rows(db, "SELECT @@time_zone, @@character_set_connection, FROM_UNIXTIME(0)"))
	conn, err := db.Conn(context.Background())
	must(err)
	ctx := context.Background()
	_, err = conn.ExecContext(ctx, "SET @mine = 'kept'")
	must(err)
	for range 3 {
		var mine string
		must(conn.QueryRowContext(ctx, "SELECT @mine").Scan(&mine))
		n.saw(mine, conn.PingContext(ctx) == nil)
	}
	conn.Close()
}

func multi(n *notes) {
	db := open(sharded, "multiStatements=true&interpolateParams=true")
	defer db.Close()
	setup(db, "DROP TABLE IF EXISTS orders; CREATE TABLE orders (id BIGINT PRIMARY KEY, v INT)")
	n.saw(exec(db, "INSERT INTO orders VALUES (1, 1), (2, 2); INSERT INTO orders VALUES (3, 3); UPDATE orders SET v = v + 1"))
	n.saw(rows(db, "SELECT * FROM orders ORDER BY id; SELECT ? AS x; DO 1; SELECT COUNT(*) FROM orders", "a;b"))
	n.saw(rows(db, "SELECT 1; SELECT * FROM nowhere; SELECT 3"))
	n.saw(exec(db, "DELETE FROM orders WHERE id = 1; DELETE FROM nowhere; DELETE FROM orders"))
	n.saw(rows(db, "SELECT COUNT(*) FROM orders;"))
	single := open(sharded, "")
	defer single.Close()
	_, err := single.Exec("DO 1; DO 2")
	n.saw(err.(*mysql.MySQLError).Number)
}

func call(n *notes) {
	db := open(passed, "multiStatements=true")
	defer db.Close()
	setup(db, "DROP PROCEDURE IF EXISTS p", `CREATE PROCEDURE p(IN a INT) BEGIN SELECT a AS first; SELECT a + 1, 'two'; END`,
		"DROP PROCEDURE IF EXISTS q", `CREATE PROCEDURE q() BEGIN SELECT 1; SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'mine'; END`)
	n.saw(rows(db, "CALL p(1)"))
	n.saw(rows(db, "CALL p(?)", 41))
	n.saw(rows(db, "CALL q()"))
	n.saw(exec(db, "CALL p(?)", 1))
	n.saw(rows(db, "SELECT 1"))
}

func compress(n *notes) {
	db := open(passed, "compress=true&maxAllowedPacket=0")
	defer db.Close()
	setup(db, "DROP TABLE IF EXISTS big", "CREATE TABLE big (id INT PRIMARY KEY, v LONGBLOB)")
	for id, size := range []int{0, 40, 50, 60, 100_000, 17 << 20} {
		value := bytes.Repeat([]byte("ab\x00"), size/3+1)[:size]
		n.saw(exec(db, "INSERT INTO big VALUES (?, ?)", id, value))
		var found []byte
		must(db.QueryRow("SELECT v FROM big WHERE id = ?", id).Scan(&found))
		n.saw(size, len(found), bytes.Equal(found, value))
	}
	n.saw(rows(db, "SELECT id, LENGTH(v), SHA2(v, 256) FROM big ORDER BY id"))
	n.saw(rows(db, "SELECT * FROM nowhere"))
}

func cancel(n *notes) {
	db := open(passed, "")
	defer db.Close()
	conn, err := db.Conn(context.Background())
	must(err)
	var id int64
	must(conn.QueryRowContext(context.Background(), "SELECT CONNECTION_ID()").Scan(&id))
	ctx, stop := context.WithTimeout(context.Background(), 200*time.Millisecond)
	_, err = conn.ExecContext(ctx, "SELECT SLEEP(30)")
	stop()
	n.saw(err == context.DeadlineExceeded, conn.PingContext(context.Background()) != nil)
	conn.Close()
	// What an application does beside: the statement of the connection that was given up is ended by its number.
	ended := make(chan error)
	victim, err := db.Conn(context.Background())
	must(err)
	must(victim.QueryRowContext(context.Background(), "SELECT CONNECTION_ID()").Scan(&id))
	go func() {
		_, err := victim.ExecContext(context.Background(), "DO SLEEP(30)")
		ended <- err
	}()
	must(awaitSleep(db, id))
	_, err = db.Exec(fmt.Sprintf("KILL QUERY %d", id))
	must(err)
	n.saw(<-ended)
	var one int
	must(victim.QueryRowContext(context.Background(), "SELECT 1").Scan(&one))
	_, err = db.Exec(fmt.Sprintf("KILL %d", id))
	must(err)
	n.saw(victim.QueryRowContext(context.Background(), "SELECT 1").Scan(&one) != nil)
	victim.Close()
}

// awaitSleep returns when the process list shows that connection in its statement.
func awaitSleep(db *sql.DB, id int64) error {
	for range 3000 {
		found, err := db.Query("SHOW FULL PROCESSLIST")
		if err != nil {
			return err
		}
		asleep := false
		for found.Next() {
			var number int64
			var texts [7]sql.NullString
			if err := found.Scan(&number, &texts[0], &texts[1], &texts[2], &texts[3], &texts[4], &texts[5], &texts[6]); err != nil {
				return err
			}
			asleep = asleep || number == id && strings.Contains(texts[6].String, "SLEEP")
		}
		if asleep {
			return found.Close()
		}
	}
	return fmt.Errorf("the process list does not show the statement")
}

// processList asks for the connection's own entry.
func processList(n *notes) {
	db := open(passed, "")
	defer db.Close()
	n.saw(rows(db, "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = CONNECTION_ID() AND INFO LIKE 'SELECT COUNT%'"))
	conn, err := db.Conn(context.Background())
	must(err)
	defer conn.Close()
	var id, count int
	must(conn.QueryRowContext(context.Background(), "SELECT CONNECTION_ID()").Scan(&id))
	must(conn.QueryRowContext(context.Background(), "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = ?", id).Scan(&count))
	n.saw(count)
}

func localFile(n *notes) {
	db := open(passed, "")
	defer db.Close()
	setup(db, "DROP TABLE IF EXISTS loaded", "CREATE TABLE loaded (id INT PRIMARY KEY, v VARCHAR(50))")
	mysql.RegisterReaderHandler("rows", func() io.Reader {
		var text strings.Builder
		for id := range 30000 {
			fmt.Fprintf(&text, "%d\tvalue %d\n", id, id)
		}
		return strings.NewReader(text.String())
	})
	mysql.RegisterReaderHandler("broken", func() io.Reader { return io.MultiReader(strings.NewReader("100000\tx\n"), failing{}) })
	n.saw(exec(db, "LOAD DATA LOCAL INFILE 'Reader::rows' INTO TABLE loaded"))
	n.saw(rows(db, "SELECT COUNT(*), SUM(id), MAX(v) FROM loaded"))
	n.saw(exec(db, "LOAD DATA LOCAL INFILE 'Reader::broken' INTO TABLE loaded"))
	n.saw(exec(db, "LOAD DATA LOCAL INFILE 'Reader::nobody' INTO TABLE loaded"))
	n.saw(exec(db, "LOAD DATA LOCAL INFILE '/nowhere' INTO TABLE loaded"))
	n.saw(rows(db, "SELECT COUNT(*) >= 30000 FROM loaded"))
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, fmt.Errorf("the reader fails") }

func big(n *notes) {
	db := open(passed, "maxAllowedPacket=0")
	defer db.Close()
	setup(db, "DROP TABLE IF EXISTS big", "CREATE TABLE big (id INT PRIMARY KEY, v LONGBLOB)")
	for id, size := range []int{1<<24 - 30, 1<<24 - 1, 1 << 24, 20 << 20} {
		value := bytes.Repeat([]byte("x"), size)
		n.saw(exec(db, "INSERT INTO big VALUES (?, ?)", id, value))
		var found []byte
		must(db.QueryRow("SELECT v FROM big WHERE id = ?", id).Scan(&found))
		n.saw(size, bytes.Equal(found, value))
	}
	setup(db, "DROP TABLE big")
}

func statements(n *notes) {
	db := open(sharded, "")
	defer db.Close()
	db.SetMaxOpenConns(1)
	setup(db, "DROP TABLE IF EXISTS orders", "CREATE TABLE orders (id BIGINT PRIMARY KEY, v INT)",
		"INSERT INTO orders VALUES (1, 1), (2, 2), (3, 3)")
	prepared := []*sql.Stmt{}
	for number := range 500 {
		statement, err := db.Prepare(fmt.Sprintf("SELECT v + %d FROM orders WHERE id = ?", number))
		must(err)
		prepared = append(prepared, statement)
	}
	sum := 0
	for range 2 {
		for number, statement := range prepared {
			var found int
			must(statement.QueryRow(number%3 + 1).Scan(&found))
			sum += found
		}
	}
	n.saw(sum)
	setup(db, "ALTER TABLE orders MODIFY v VARCHAR(20)")
	var found string
	must(prepared[0].QueryRow(2).Scan(&found))
	n.saw(found)
	for _, statement := range prepared {
		statement.Close()
	}
	_, err := db.Prepare("SELECT FROM")
	n.saw(err)
	_, err = db.Prepare("SELECT * FROM nowhere WHERE id = ?")
	n.saw(err)
}

func pool(n *notes) {
	db := open(sharded, "")
	defer db.Close()
	db.SetMaxOpenConns(50)
	setup(db, "DROP TABLE IF EXISTS orders", "CREATE TABLE orders (id BIGINT PRIMARY KEY, v INT)")
	for id := range 50 {
		setup(db, fmt.Sprintf("INSERT INTO orders VALUES (%d, 0)", id))
	}
	var group sync.WaitGroup
	errs := make(chan error, 50)
	for id := range 50 {
		group.Add(1)
		go func() {
			defer group.Done()
			for turn := range 6 {
				tx, err := db.Begin()
				if err == nil {
					_, err = tx.Exec("UPDATE orders SET v = v + 1 WHERE id = ?", id)
				}
				if err == nil && turn%3 == 2 {
					err = tx.Rollback()
				} else if err == nil {
					err = tx.Commit()
				}
				if err != nil {
					errs <- err
					return
				}
			}
		}()
	}
	group.Wait()
	close(errs)
	for err := range errs {
		n.saw(err)
	}
	n.saw(rows(db, "SELECT COUNT(*), SUM(v), MIN(v), MAX(v) FROM orders"))
}

func foundRows(n *notes) {
	for _, options := range []string{"clientFoundRows=false", "clientFoundRows=true"} {
		db := open(sharded, options)
		setup(db, "DROP TABLE IF EXISTS orders", "CREATE TABLE orders (id BIGINT PRIMARY KEY, v INT)",
			"INSERT INTO orders VALUES (1, 1), (2, 2), (3, 2)")
		n.saw(options, exec(db, "UPDATE orders SET v = 2"), exec(db, "UPDATE orders SET v = ? WHERE id = ?", 2, 1),
			exec(db, "INSERT INTO orders VALUES (1, 2) ON DUPLICATE KEY UPDATE v = 2"))
		db.Close()
	}
}
