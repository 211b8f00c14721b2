package main

import (
	"database/sql"
	"fmt"
	"path/filepath"

	_ "modernc.org/sqlite"
)

// FerretDB 1.24 indexes ids by the expression ->"_id" and looks for them by ->'$._id', which SQLite takes for another
// one: every read and every update of a document by its id reads the whole collection. The index that is missing is
// added to its files; of 2,000 documents an update then took 1 ms instead of 30.
func indexIds(folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.sqlite"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := indexIdsOf(file); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

func indexIdsOf(file string) error {
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=busy_timeout(10000)&_pragma=synchronous(normal)")
	if err != nil {
		return err
	}
	defer db.Close()
	tables, err := tablesOf(db)
	if err != nil {
		return err
	}
	for _, table := range tables {
		statement := fmt.Sprintf(`create index if not exists "%s_millrace_id" on "%s" (_ferretdb_sjson->'$._id')`, table, table)
		if _, err := db.Exec(statement); err != nil {
			return err
		}
	}
	return nil
}

func tablesOf(db *sql.DB) ([]string, error) {
	rows, err := db.Query("select table_name from _ferretdb_collections")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var tables []string
	for rows.Next() {
		var table string
		if err := rows.Scan(&table); err != nil {
			return nil, err
		}
		tables = append(tables, table)
	}
	return tables, rows.Err()
}
