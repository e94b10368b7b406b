// MariaDB's connector for Node: pipelining, batches, pools, streams.

import { readFileSync } from 'node:fs';
import mariadb from 'mariadb';

import { COLUMNS, check, env, fault } from './notebook.mjs';

const ACCOUNT = { host: env.host, port: env.port, user: env.user, password: env.password, allowPublicKeyRetrieval: true };

const connect = (options = {}) => mariadb.createConnection({ ...ACCOUNT, ...options });

/** Number, state and text, without what the connector adds of its own (connection number, statement). */
const short = async (run) => {
  const found = await fault(run);
  return Array.isArray(found) ? found.slice(0, 3) : found;
};

async function login(saw) {
  const connection = await connect({ database: env.sharded });
  saw(await connection.query('SELECT DATABASE() AS d, CURRENT_USER() AS u'));
  await connection.ping();
  await connection.query('SET @a = 1');
  await connection.reset();
  saw(await connection.query('SELECT @a AS a, DATABASE() AS d'));
  await connection.end();
  saw(await short(() => connect({ password: 'wrong' })));
  saw(await short(() => connect({ database: 'there_is_none' })));
  const encrypted = await connect({ host: 'localhost', ssl: { ca: readFileSync(env.authority) } });
  saw(await encrypted.query('SELECT 1 AS one'));
  await encrypted.end();
  saw(Array.isArray(await short(() => connect({ ssl: { ca: readFileSync(env.stranger) } }))));
}

async function types(saw) {
  for (const database of [env.passed, env.sharded]) {
    const connection = await connect({ database, dateStrings: true });
    await connection.query('DROP TABLE IF EXISTS notes');
    await connection.query(`CREATE TABLE notes (id INT PRIMARY KEY, ${COLUMNS.map(([name, type]) => `${name} ${type}`).join(', ')})`);
    const insert = `INSERT INTO notes VALUES (?${', ?'.repeat(COLUMNS.length)})`;
    const values = COLUMNS.map(([, , value]) => value);
    saw(await connection.query(insert, [1, ...values]));
    saw(await connection.execute(insert, [2, ...values]));
    saw(await connection.query('SELECT * FROM notes ORDER BY id'));
    saw(await connection.execute('SELECT * FROM notes WHERE id = ?', [2]));
    await connection.end();
  }
}

async function batch(saw) {
  for (const database of [env.passed, env.sharded]) {
    const connection = await connect({ database, multipleStatements: false });
    await connection.query('DROP TABLE IF EXISTS orders');
    await connection.query('CREATE TABLE orders (id BIGINT PRIMARY KEY, v VARCHAR(20))');
    const rows = Array.from({ length: 200 }, (_, id) => [id, `v${id}`]);
    const { affectedRows } = await connection.batch('INSERT INTO orders (id, v) VALUES (?, ?)', rows);
    saw(affectedRows, await connection.query('SELECT COUNT(*) AS n, SUM(id) AS s FROM orders'));
    // Sent in one go, answered in order.
    const answers = await Promise.all(Array.from({ length: 50 }, (_, id) => connection.query('SELECT v FROM orders WHERE id = ?', [id])));
    saw(answers.map(([row]) => row.v));
    const mixed = await Promise.allSettled([connection.query('SELECT 1 AS a'), connection.query('SELECT * FROM nowhere'),
      connection.execute('SELECT ? AS b', [2]), connection.query('INSERT INTO orders VALUES (1, 1)'), connection.ping()]);
    saw(mixed.map(({ status, value, reason }) => [status, value, reason?.errno]));
    const seen = [];
    for await (const row of connection.queryStream('SELECT id FROM orders ORDER BY id LIMIT 20')) seen.push(row.id);
    saw(seen);
    await connection.end();
  }
}

async function transactions(saw) {
  const connection = await connect({ database: env.sharded });
  await connection.query('DROP TABLE IF EXISTS orders');
  await connection.query('CREATE TABLE orders (id BIGINT PRIMARY KEY, v INT)');
  for (const end of ['rollback', 'commit']) {
    await connection.beginTransaction();
    await connection.query('INSERT INTO orders VALUES (1, 1), (2, 2), (3, 3)');
    await connection[end]();
    saw(end, await connection.query('SELECT COUNT(*) AS n FROM orders'));
  }
  await connection.end();
}

async function pool(saw) {
  const pool = mariadb.createPool({ ...ACCOUNT, database: env.sharded, connectionLimit: 20 });
  const wrong = [];
  await Promise.all(Array.from({ length: 200 }, async (_, number) => {
    const connection = await pool.getConnection();
    await connection.query('SET @me = ?', [number]);
    const [{ me }] = await connection.query('SELECT @me AS me');
    if (Number(me) !== number) wrong.push([number, me]);
    await connection.release();
  }));
  saw(wrong.slice(0, 3));
  await pool.end();
}

async function compress(saw) {
  const connection = await connect({ database: env.passed, compress: true });
  saw(await connection.query("SELECT REPEAT('compress ', 20000) AS r"));
  saw(await connection.query('SELECT ? AS v', ['x'.repeat(100000)]));
  await connection.end();
}

async function multi(saw) {
  const connection = await connect({ database: env.sharded, multipleStatements: true });
  saw(await connection.query('SELECT 1 AS a; SELECT 2 AS b; SELECT ? AS c', ['x;y']));
  saw(await short(() => connection.query('SELECT 1; SELECT * FROM nowhere')));
  await connection.end();
}

export async function checks() {
  await check('login', login);
  await check('types', types);
  await check('batch', batch);
  await check('transactions', transactions);
  await check('pool', pool);
  await check('compress', compress);
  await check('multi', multi);
}
