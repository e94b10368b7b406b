-- The tables of sysbench's oltp scripts, with two differences: the columns c and pad are wide enough for the ciphertext
-- of what they hold and have no default, which would not be encrypted; and the rows are the same every time, so that two
-- targets can be compared row by row.
--
-- Prepares and drops them; the load is one of sysbench's own scripts.

sysbench.cmdline.options = {
   tables = {"Number of tables", 1},
   table_size = {"Rows of each table", 10000},
   range_selects = {"Accepted for the sake of common options", false},
   auto_inc = {"Accepted for the sake of common options; ids are given", false},
}

-- Lehmer's generator: its products stay exact in a double.
local state

local function digit()
   state = state * 16807 % 2147483647
   return math.floor(state / 2147483647 * 10)
end

local function digits(groups)
   local out = {}
   for group = 1, groups do
      local text = {}
      for at = 1, 11 do
         text[at] = digit()
      end
      out[group] = table.concat(text)
   end
   return table.concat(out, "-")
end

local function fill(connection, number)
   connection:query(string.format([[
CREATE TABLE sbtest%d (
  id INTEGER NOT NULL,
  k INTEGER DEFAULT 0 NOT NULL,
  c VARCHAR(300) NOT NULL,
  pad VARCHAR(150) NOT NULL,
  PRIMARY KEY (id)
)]], number))
   state = number
   connection:bulk_insert_init(string.format("INSERT INTO sbtest%d (id, k, c, pad) VALUES", number))
   for id = 1, sysbench.opt.table_size do
      local k = 1 + math.floor(state / 2147483647 * sysbench.opt.table_size)
      connection:bulk_insert_next(string.format("(%d, %d, '%s', '%s')", id, k, digits(10), digits(5)))
   end
   connection:bulk_insert_done()
   connection:query(string.format("CREATE INDEX k_%d ON sbtest%d (k)", number, number))
end

local function prepare()
   local connection = sysbench.sql.driver():connect()
   for number = sysbench.tid % sysbench.opt.threads + 1, sysbench.opt.tables, sysbench.opt.threads do
      print(string.format("Filling sbtest%d with %d rows", number, sysbench.opt.table_size))
      fill(connection, number)
   end
   connection:disconnect()
end

sysbench.cmdline.commands = {prepare = {prepare, sysbench.cmdline.PARALLEL_COMMAND}}

function cleanup()
   local connection = sysbench.sql.driver():connect()
   for number = 1, sysbench.opt.tables do
      connection:query("DROP TABLE IF EXISTS sbtest" .. number)
   end
   connection:disconnect()
end
