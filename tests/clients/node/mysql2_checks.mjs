// mysql2: text and prepared statements, several statements, compression, pools, streams, LOCAL INFILE.

import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import mysql from 'mysql2/promise';

import { COLUMNS, check, env, fault, plain } from './notebook.mjs';

const ACCOUNT = { host: env.host, port: env.port, user: env.user, password: env.password };

const connect = (options = {}) => mysql.createConnection({ ...ACCOUNT, ...options });

const columns = (fields) => fields?.map((field) => [field.name, field.columnType ?? field.type, field.flags, field.columnLength,
  field.decimals, field.characterSet, field.table, field.orgTable, field.orgName]);

/** Rows and columns, or what a statement did. */
async function ask(connection, text, values, how = 'query') {
  const [result, fields] = await connection[how](text, values);
  return fields ? [result, columns(fields)] : [result.affectedRows, result.insertId, result.info, result.warningStatus];
}

async function login(saw) {
  const connection = await connect({ database: env.sharded });
  saw(await ask(connection, 'SELECT DATABASE(), CURRENT_USER(), @@character_set_client, @@autocommit'));
  await connection.ping();
  await connection.changeUser({ database: env.passed });
  saw(await ask(connection, 'SELECT DATABASE(), @nothing'));
  await connection.end();
  for (const options of [{ password: 'wrong' }, { password: '' }, { database: 'there_is_none' }, { user: 'nobody' }]) {
    saw(await fault(() => connect(options)));
  }
}

async function tls(saw) {
  const [authority, stranger] = [env.authority, env.stranger].map((file) => readFileSync(file));
  for (const [host, ca] of [['localhost', authority], ['127.0.0.1', authority]]) {
    const connection = await connect({ host, ssl: { ca, verifyIdentity: true } });
    saw(host, await ask(connection, 'SELECT 1'));
    await connection.end();
  }
  saw((await fault(() => connect({ ssl: { ca: stranger } })))[2]);
  saw((await fault(() => connect({ host: '127.0.0.2', ssl: { ca: authority, verifyIdentity: true } })))[2]);
  for (const minVersion of ['TLSv1.2', 'TLSv1.3']) {
    const connection = await connect({ ssl: { ca: authority, minVersion, maxVersion: minVersion } });
    saw(minVersion, await ask(connection, 'SELECT 1'));
    await connection.end();
  }
}

async function types(saw) {
  for (const database of [env.passed, env.sharded]) {
    const connection = await connect({ database, supportBigNumbers: true, bigNumberStrings: true, dateStrings: true });
    await connection.query('DROP TABLE IF EXISTS notes');
    await connection.query(`CREATE TABLE notes (id INT PRIMARY KEY, ${COLUMNS.map(([name, type]) => `${name} ${type}`).join(', ')})`);
    const insert = `INSERT INTO notes VALUES (?${', ?'.repeat(COLUMNS.length)})`;
    const values = COLUMNS.map(([, , value]) => value);
    saw(await ask(connection, insert, [1, ...values]));
    saw(await ask(connection, insert, [2, ...values], 'execute'));
    saw(await ask(connection, insert, [3, ...values.map(() => null)], 'execute'));
    saw(await ask(connection, 'SELECT * FROM notes ORDER BY id'));
    for (const id of [1, 2, 3]) saw(await ask(connection, 'SELECT * FROM notes WHERE id = ?', [id], 'execute'));
    saw(await ask(connection, 'SELECT * FROM notes WHERE id < ? ORDER BY id', [9], 'execute'));
    await connection.end();
  }
}

async function orders(saw) {
  const connection = await connect({ database: env.sharded });
  await connection.query('DROP TABLE IF EXISTS orders');
  saw(await ask(connection, 'CREATE TABLE orders (id BIGINT PRIMARY KEY, customer VARCHAR(20), total DECIMAL(9,2))'));
  const rows = Array.from({ length: 60 }, (_, id) => [id, `c${id % 4}`, id / 4]);
  saw(await ask(connection, 'INSERT INTO orders (id, customer, total) VALUES ?', [rows]));
  for (const how of ['query', 'execute']) {
    for (const text of ['SELECT * FROM orders WHERE id = ?', 'SELECT customer, COUNT(*), SUM(total) FROM orders WHERE id > ? GROUP BY customer ORDER BY 1',
      'SELECT id FROM orders WHERE id >= ? ORDER BY total DESC, id LIMIT 3', 'SELECT AVG(total) AS a FROM orders WHERE id <> ?',
      'UPDATE orders SET total = total + 1 WHERE id > ?', 'DELETE FROM orders WHERE id = ?']) {
      saw(how, text, await ask(connection, text, [7], how));
    }
    saw(await fault(() => connection[how]('INSERT INTO orders (id) VALUES (1), (2)')));
    saw(await fault(() => connection[how]('SELECT * FROM nowhere')));
    saw((await fault(() => connection[how]('SELECT FROM orders'))).slice(0, 3));
  }
  await connection.query('DROP TABLE IF EXISTS contacts');
  await connection.query('CREATE TABLE contacts (id INT PRIMARY KEY, phone VARCHAR(200))');
  saw(await ask(connection, 'INSERT INTO contacts (id, phone) VALUES (?, ?), (2, NULL)', [1, '+41 😀'], 'execute'));
  saw(await ask(connection, 'SELECT id FROM contacts WHERE phone = ?', ['+41 😀'], 'execute'));
  saw((await connection.query('SELECT id, phone FROM contacts ORDER BY id'))[0]);
  await connection.end();
}

async function transactions(saw) {
  const [one, two] = [await connect({ database: env.sharded }), await connect({ database: env.sharded })];
  await one.query('DROP TABLE IF EXISTS orders');
  await one.query('CREATE TABLE orders (id BIGINT PRIMARY KEY, v INT)');
  for (const end of ['rollback', 'commit']) {
    await one.beginTransaction();
    saw(await ask(one, 'INSERT INTO orders VALUES (1, 1), (2, 2), (3, 3)'));
    saw((await two.query('SELECT COUNT(*) AS n FROM orders'))[0]);
    await one[end]();
    saw(end, (await two.query('SELECT COUNT(*) AS n FROM orders'))[0]);
  }
  await one.beginTransaction();
  await one.query('UPDATE orders SET v = 9');
  one.destroy();
  // The rows are free as soon as the vanished client's transaction is rolled back.
  saw((await two.query('SELECT SUM(v) AS s FROM orders FOR UPDATE'))[0]);
  await two.end();
}

async function multi(saw) {
  const connection = await connect({ database: env.sharded, multipleStatements: true });
  await connection.query('DROP TABLE IF EXISTS orders; CREATE TABLE orders (id BIGINT PRIMARY KEY, v INT)');
  const [results, fields] = await connection.query('INSERT INTO orders VALUES (1, 1), (2, 2); SELECT ? AS a; SELECT * FROM orders ORDER BY id; DO 1', ['x;y']);
  saw(results.map((result) => (Array.isArray(result) ? result : [result.affectedRows, result.warningStatus])), fields.map(columns));
  saw(await fault(() => connection.query('SELECT 1; SELECT * FROM nowhere; SELECT 2')));
  saw((await connection.query('SELECT COUNT(*) AS n FROM orders'))[0]);
  await connection.end();
  const single = await connect();
  saw((await fault(() => single.query('DO 1; DO 2'))).slice(0, 3));
  await single.end();
}

async function call(saw) {
  const connection = await connect({ database: env.passed });
  await connection.query('DROP PROCEDURE IF EXISTS p');
  await connection.query("CREATE PROCEDURE p(IN a INT, OUT b INT) BEGIN SELECT a AS one; SELECT 'x' AS two UNION SELECT 'y'; SET b = a * 2; END");
  const sets = (results) => results.map((result) => (Array.isArray(result) ? result : [result.affectedRows]));
  saw(sets((await connection.query('CALL p(?, @b)', [4]))[0]));
  saw((await connection.query('SELECT @b AS b'))[0]);
  saw(sets((await connection.execute('CALL p(?, @b)', [5]))[0]));
  saw((await connection.query('SELECT @b AS b'))[0]);
  await connection.end();
}

async function stream(saw) {
  const connection = await connect({ database: env.sharded });
  await connection.query('DROP TABLE IF EXISTS notes');
  await connection.query('CREATE TABLE notes (id INT PRIMARY KEY, v VARCHAR(100))');
  await connection.query('INSERT INTO notes VALUES ?', [Array.from({ length: 5000 }, (_, id) => [id, `v${id}`.repeat(10)])]);
  let sum = 0;
  for await (const row of connection.connection.query('SELECT * FROM notes ORDER BY id').stream({ highWaterMark: 5 })) {
    sum = (sum * 31 + row.id + row.v.length) % 1000003;
  }
  saw(sum);
  for await (const row of connection.connection.execute('SELECT id FROM notes WHERE id >= ? ORDER BY id', [4990]).stream()) saw(row);
  await connection.end();
}

async function localInfile(saw) {
  const connection = await connect({ database: env.passed, flags: ['+LOCAL_FILES'] });
  await connection.query('DROP TABLE IF EXISTS loaded');
  await connection.query('CREATE TABLE loaded (id INT PRIMARY KEY, v VARCHAR(40))');
  const lines = Array.from({ length: 20000 }, (_, id) => Buffer.from(`${id},value ${id} ü\n`));
  const infileStreamFactory = () => Readable.from(lines);
  const sql = "LOAD DATA LOCAL INFILE 'rows' INTO TABLE loaded FIELDS TERMINATED BY ','";
  saw(await ask(connection, { sql, infileStreamFactory }));
  saw((await connection.query('SELECT COUNT(*) AS n, SUM(id) AS s, MAX(v) AS m FROM loaded'))[0]);
  saw(await ask(connection, { sql, infileStreamFactory }));
  await connection.end();
}

async function compress(saw) {
  const connection = await connect({ database: env.sharded, compress: true });
  saw((await connection.query("SELECT REPEAT('compress ', 20000) AS r"))[0]);
  await connection.query('DROP TABLE IF EXISTS notes');
  await connection.query('CREATE TABLE notes (id INT PRIMARY KEY, v LONGBLOB)');
  for (const [id, value] of [Buffer.alloc(0), Buffer.alloc(60, 'x'), Buffer.alloc(500000, 'noise?'), Buffer.alloc(17 << 20, 'z')].entries()) {
    saw(await ask(connection, 'INSERT INTO notes VALUES (?, ?)', [id, value], 'execute'));
    const [[row]] = await connection.execute('SELECT v FROM notes WHERE id = ?', [id]);
    saw(id, row.v.length, row.v.equals(value));
  }
  saw((await connection.query('SELECT id, LENGTH(v) AS l FROM notes ORDER BY id'))[0]);
  saw(await fault(() => connection.query('SELECT * FROM nowhere')));
  await connection.end();
}

async function statements(saw) {
  const connection = await connect({ database: env.sharded, maxPreparedStatements: 20 });
  await connection.query('DROP TABLE IF EXISTS orders');
  await connection.query('CREATE TABLE orders (id BIGINT PRIMARY KEY, v INT)');
  await connection.query('INSERT INTO orders VALUES (1, 1), (2, 2), (3, 3)');
  let sum = 0;
  for (let turn = 0; turn < 300; turn += 1) {
    const [[row]] = await connection.execute(`SELECT v + ${turn % 90} AS v FROM orders WHERE id = ?`, [(turn % 3) + 1]);
    sum += row.v;
  }
  saw(sum);
  const statement = await connection.prepare('SELECT * FROM orders WHERE id = ?');
  saw((await statement.execute([2]))[0]);
  await connection.query("ALTER TABLE orders ADD w VARCHAR(5) DEFAULT 'w'");
  saw((await statement.execute([2]))[0]);
  await statement.close();
  for (const [number, value] of [null, true, 1, -1.5, 'text', Buffer.from([0, 255]), new Date(0), ''].entries()) {
    // A statement of its own for each: MySQL keeps to the types that a statement was first executed with.
    saw((await connection.execute(`SELECT HEX(?) AS h, ? IS NULL AS n, ${number}`, [value, value]))[0]);
  }
  saw(await fault(() => connection.prepare('SELECT FROM')));
  await connection.end();
}

async function pool(saw) {
  const pool = mysql.createPool({ ...ACCOUNT, database: env.sharded, connectionLimit: 50, resetOnRelease: true });
  await pool.query('DROP TABLE IF EXISTS orders');
  await pool.query('CREATE TABLE orders (id BIGINT PRIMARY KEY, v INT)');
  await pool.query('INSERT INTO orders VALUES ?', [Array.from({ length: 50 }, (_, id) => [id, 0])]);
  const wrong = [];
  await Promise.all(Array.from({ length: 200 }, async (_, number) => {
    const connection = await pool.getConnection();
    await connection.query('SET @me = ?', [number]);
    await connection.beginTransaction();
    await connection.execute('UPDATE orders SET v = v + 1 WHERE id = ?', [number % 50]);
    const [[row]] = await connection.query('SELECT @me AS me');
    if (row.me !== number) wrong.push([number, row.me]);
    await (number % 4 === 3 ? connection.rollback() : connection.commit());
    connection.release();
  }));
  saw(wrong.slice(0, 3), (await pool.query('SELECT COUNT(*) AS n, SUM(v) AS s FROM orders'))[0]);
  await pool.end();
  const one = mysql.createPool({ ...ACCOUNT, database: env.passed, connectionLimit: 1 });
  for (let turn = 0; turn < 3; turn += 1) {
    const connection = await one.getConnection();
    saw((await connection.query("SELECT @left AS `left`, DATABASE() AS d, @@sql_mode LIKE '%STRICT_TRANS_TABLES%' AS s"))[0]);
    await connection.query("SET @left = 1, sql_mode = ''");
    await connection.changeUser({});
    connection.release();
  }
  await one.end();
}

async function ignoreSpace(saw) {
  const connection = await connect({ database: env.sharded });
  saw(await ask(connection, "SELECT COUNT (*) AS n, @@sql_mode LIKE '%IGNORE_SPACE%' AS i"));
  await connection.query("SET SESSION sql_mode = 'ANSI_QUOTES'");
  saw(await fault(() => connection.query('SELECT COUNT (*) AS n')));
  await connection.changeUser({});
  saw(await ask(connection, 'SELECT COUNT (*) AS n'));
  await connection.end();
}

async function kill(saw) {
  const [victim, other] = [await connect(), await connect()];
  const id = victim.threadId;
  const sleeping = fault(() => victim.query('DO SLEEP(30)'));
  for (let look = 0; look < 3000; look += 1) {
    const [rows] = await other.query('SHOW FULL PROCESSLIST');
    if (rows.some((row) => row.Id === id && String(row.Info).includes('SLEEP'))) break;
  }
  await other.query(`KILL QUERY ${id}`);
  saw(await sleeping);
  saw((await victim.query('SELECT 1 AS one'))[0]);
  await other.query(`KILL ${id}`);
  saw(Array.isArray(await fault(() => victim.query('SELECT 1'))));
  await other.end();
}

async function big(saw) {
  const connection = await connect({ database: env.passed });
  await connection.query('DROP TABLE IF EXISTS big');
  await connection.query('CREATE TABLE big (id INT PRIMARY KEY, v LONGBLOB)');
  for (const [id, size] of [(1 << 24) - 12, (1 << 24) - 1, 1 << 24, 20 << 20].entries()) {
    const value = Buffer.alloc(size, 'x');
    saw(await ask(connection, 'INSERT INTO big VALUES (?, ?)', [id, value], 'execute'));
    const [[row]] = await connection.execute('SELECT v, SHA2(v, 256) AS m FROM big WHERE id = ?', [id]);
    saw(size, row.m, plain(row.v), row.v.equals(value));
  }
  await connection.query('DROP TABLE big');
  await connection.end();
}

export async function checks() {
  await check('login', login);
  await check('tls', tls);
  await check('types', types);
  await check('orders', orders);
  await check('transactions', transactions);
  await check('multi', multi);
  await check('call', call);
  await check('stream', stream);
  await check('local_infile', localInfile);
  await check('compress', compress);
  await check('statements', statements);
  await check('pool', pool);
  await check('ignore_space', ignoreSpace);
  await check('kill', kill);
  await check('big', big);
}
