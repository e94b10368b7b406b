// What a client program writes down: one JSON object for each check.

export const env = {
  host: process.env.WEIR_HOST,
  port: Number(process.env.WEIR_PORT),
  user: process.env.WEIR_USER,
  password: process.env.WEIR_PASSWORD,
  sharded: process.env.WEIR_SHARDED,
  passed: process.env.WEIR_PASSED,
  authority: process.env.WEIR_AUTHORITY,
  stranger: process.env.WEIR_STRANGER,
};

const skipped = new Set((process.env.WEIR_SKIP ?? '').split(','));
let count = 0;

/** A value as JSON can hold it, with its type where JSON would lose it. */
export function plain(value) {
  if (value === undefined) return { undefined: true };
  if (typeof value === 'bigint') return { bigint: value.toString() };
  if (typeof value === 'string' && value.length > 2000) return { characters: value.length, begins: value.slice(0, 20) };
  if (Buffer.isBuffer(value)) return { bytes: value.length > 200 ? value.length : value.toString('hex') };
  if (value instanceof Date) return { date: Number.isNaN(value.getTime()) ? 'invalid' : value.toISOString() };
  if (Array.isArray(value)) return value.map(plain);
  if (value && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
  }
  return value;
}

/** Runs one check; it gets `saw`, to be called with whatever is to be the same on both sides. */
export async function check(name, run) {
  if (skipped.has(name)) return;
  count += 1;
  const line = { check: name, saw: [] };
  try {
    await run((...values) => line.saw.push(plain(values)));
  } catch (error) {
    line.unexpected = `${error.code ?? ''} ${error.message}`;
    console.error(error);
  }
  console.log(JSON.stringify(line));
}

/** The last line tells that the program came to its end. */
export function close() {
  console.log(JSON.stringify({ check: 'end', saw: count }));
}

/** What is thrown: number, state, name, text. */
export async function fault(run) {
  try {
    await run();
  } catch (error) {
    return [error.errno, error.sqlState, error.code, error.sqlMessage ?? error.message];
  }
  return 'nothing thrown';
}

/** Every type, and a value for each. */
export const COLUMNS = [
  ['a', 'TINYINT', -128], ['b', 'SMALLINT UNSIGNED', 65535], ['c', 'INT', -2147483648], ['d', 'BIGINT', '-9223372036854775808'],
  ['e', 'BIGINT UNSIGNED', '18446744073709551615'], ['f', 'DECIMAL(20,5)', '-123456789012345.12345'], ['g', 'FLOAT', 1.5],
  ['h', 'DOUBLE', 1e-300], ['i', 'BIT(9)', Buffer.from([1, 255])], ['j', 'DATE', '2024-02-29'], ['k', 'TIME(6)', '-838:59:58.999999'],
  ['l', 'DATETIME(3)', '9999-12-31 23:59:59.999'], ['m', 'TIMESTAMP(6) NULL', '2038-01-19 03:14:07.999999'], ['n', 'YEAR', 1901],
  ['o', 'CHAR(5)', 'Zü'], ['p', 'VARCHAR(60)', 'naïve 😀 \'"\\\0\n\x1a'], ['q', 'BINARY(3)', Buffer.from([0, 1, 255])],
  ['r', 'VARBINARY(9)', Buffer.from('\\\'"\0')], ['s', 'LONGTEXT', 'ж'.repeat(400)], ['t', 'BLOB', Buffer.alloc(60, 7)],
  ['u', "ENUM('x','größer')", 'größer'], ['v', "SET('p','q')", 'p,q'], ['w', 'JSON', '{"k": [1, 2.5, null, "ü"]}'],
];
