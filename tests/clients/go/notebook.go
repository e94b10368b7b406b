package main

import (
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

var (
	host     = os.Getenv("WEIR_HOST")
	port     = os.Getenv("WEIR_PORT")
	user     = os.Getenv("WEIR_USER")
	password = os.Getenv("WEIR_PASSWORD")
	sharded  = os.Getenv("WEIR_SHARDED")
	passed   = os.Getenv("WEIR_PASSED")
	folder   = os.Getenv("WEIR_FOLDER")
	skipped  = strings.Split(os.Getenv("WEIR_SKIP"), ",")
)

// notes is what one check saw; it goes to standard output as one JSON object.
type notes struct {
	Check      string `json:"check"`
	Saw        []any  `json:"saw"`
	Unexpected string `json:"unexpected,omitempty"`
}

var checks int

// check runs one check; what it does not expect it panics with.
func check(name string, run func(n *notes)) {
	for _, skip := range skipped {
		if skip == name {
			return
		}
	}
	checks++
	n := &notes{Check: name, Saw: []any{}}
	func() {
		defer func() {
			if cause := recover(); cause != nil {
				n.Unexpected = fmt.Sprint(cause)
			}
		}()
		run(n)
	}()
	write(n)
}

func write(n any) {
	line, err := json.Marshal(n)
	must(err)
	fmt.Println(string(line))
}

// saw notes values that are to be the same on both sides.
func (n *notes) saw(values ...any) {
	for i, value := range values {
		values[i] = plain(value)
	}
	n.Saw = append(n.Saw, values)
}

// plain is a value with its Go type where JSON would lose it.
func plain(value any) any {
	switch value := value.(type) {
	case nil:
		return nil
	case []byte:
		if len(value) > 200 {
			return fmt.Sprintf("%d bytes", len(value))
		}
		return "bytes " + hex.EncodeToString(value)
	case time.Time:
		return "time " + value.Format(time.RFC3339Nano)
	case error:
		return fault(value)
	case string, bool, []any, [][]any, []string:
		return value
	default:
		return fmt.Sprintf("%T %v", value, value)
	}
}

// fault is number, state and text of a server's error, and the text of others.
func fault(err error) any {
	var server *mysql.MySQLError
	if errors.As(err, &server) {
		return []any{server.Number, string(server.SQLState[:]), server.Message}
	}
	if err == nil {
		return "no error"
	}
	return fmt.Sprintf("%T %v", err, err)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// open makes a pool; the options are those of the driver's own address lines.
func open(database, options string) *sql.DB {
	dsn := fmt.Sprintf("%s:%s@tcp(%s:%s)/%s?%s", user, password, host, port, database, options)
	db, err := sql.Open("mysql", dsn)
	must(err)
	return db
}

type querier interface {
	Query(query string, args ...any) (*sql.Rows, error)
	Exec(query string, args ...any) (sql.Result, error)
}

// rows reads all results of a query.
func rows(db querier, query string, args ...any) any {
	found, err := db.Query(query, args...)
	if err != nil {
		return fault(err)
	}
	defer found.Close()
	sets := []any{}
	for {
		sets = append(sets, set(found))
		if !found.NextResultSet() {
			break
		}
	}
	if err := found.Err(); err != nil {
		sets = append(sets, fault(err))
	}
	return sets
}

// set is one result: its columns with their types, its rows.
func set(found *sql.Rows) any {
	columns := []any{}
	types, err := found.ColumnTypes()
	must(err)
	for _, kind := range types {
		nullable, known := kind.Nullable()
		precision, scale, decimal := kind.DecimalSize()
		length, sized := kind.Length()
		columns = append(columns, fmt.Sprint(kind.Name(), " ", kind.DatabaseTypeName(), " ", kind.ScanType(), nullable, known,
			precision, scale, decimal, length, sized))
	}
	values := []any{}
	for found.Next() {
		row := make([]any, len(types))
		into := make([]any, len(types))
		for i := range row {
			into[i] = &row[i]
		}
		must(found.Scan(into...))
		for i := range row {
			row[i] = plain(row[i])
		}
		values = append(values, row)
	}
	return []any{columns, values}
}

// exec is what a statement did, or its error.
func exec(db querier, query string, args ...any) any {
	result, err := db.Exec(query, args...)
	if err != nil {
		return fault(err)
	}
	affected, err := result.RowsAffected()
	must(err)
	id, err := result.LastInsertId()
	must(err)
	return []any{affected, id}
}

// setup runs statements that must go well.
func setup(db querier, queries ...string) {
	for _, query := range queries {
		if _, err := db.Exec(query); err != nil {
			panic(fmt.Sprint(query, ": ", err))
		}
	}
}
