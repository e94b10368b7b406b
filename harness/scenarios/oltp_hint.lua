-- The statements of sysbench's read-write transaction, each with a comment at its end by which a proxy may tell where
-- it goes: ten point selects, an update of the indexed column, one of another, a delete and an insert of the same row.
--
--   --hint=TEXT      the comment; none when empty
--   --db-ps-mode     auto: prepared once per connection and executed; disable: text
--   --point_selects  as with sysbench's own scripts
--
-- The tables are sysbench's own, prepared by any of its scripts.

sysbench.cmdline.options = {
   hint = {"Comment at the end of each statement", ""},
   tables = {"Number of tables", 1},
   table_size = {"Rows of each table", 10000},
   point_selects = {"Point selects of a transaction", 10},
   range_selects = {"Accepted for the sake of common options; there are none", false},
   auto_inc = {"Accepted for the sake of common options; ids are given", false},
}

local INT, CHAR = sysbench.sql.type.INT, sysbench.sql.type.CHAR
local GROUP = "-###########"
local C, PAD = ("###########" .. GROUP:rep(9)), ("###########" .. GROUP:rep(4))

-- Room for a text and the zero by which sysbench finds its end when it writes statements out.
local TEXT, SHORT = {CHAR, #C + 1}, {CHAR, #PAD + 1}

-- The documents write the insert without a space before its comment.
local STATEMENTS = {
   point = {"SELECT c FROM sbtest%d WHERE id=? %s", {INT}},
   index = {"UPDATE sbtest%d SET k=k+1 WHERE id=? %s", {INT}},
   other = {"UPDATE sbtest%d SET c=? WHERE id=? %s", TEXT, {INT}},
   delete = {"DELETE FROM sbtest%d WHERE id=? %s", {INT}},
   insert = {"INSERT INTO sbtest%d (id, k, c, pad) VALUES (?, ?, ?, ?)%s", {INT}, {INT}, TEXT, SHORT},
}

local connection, start, finish
-- By table and statement: what is executed, and the values it is given.
local prepared = {}

local function prepare(definition, table_number)
   local text = string.format(definition[1], table_number, sysbench.opt.hint)
   local statement = connection:prepare((text:gsub("%s+$", "")))
   local values = {}
   for at = 2, #definition do
      values[at - 1] = statement:bind_create(unpack(definition[at]))
   end
   statement:bind_param(unpack(values))
   return {statement = statement, values = values}
end

function thread_init()
   connection = sysbench.sql.driver():connect()
   start, finish = connection:prepare("BEGIN"), connection:prepare("COMMIT")
   for number = 1, sysbench.opt.tables do
      prepared[number] = {}
      for name, definition in pairs(STATEMENTS) do
         prepared[number][name] = prepare(definition, number)
      end
   end
end

function thread_done()
   for _, statements in ipairs(prepared) do
      for _, one in pairs(statements) do
         one.statement:close()
      end
   end
   start:close()
   finish:close()
   connection:disconnect()
end

local function any_row()
   return sysbench.rand.default(1, sysbench.opt.table_size)
end

local function any_table()
   return prepared[sysbench.rand.uniform(1, sysbench.opt.tables)]
end

-- Texts are templates of digits, anything else is a number.
local function execute(one, ...)
   for at, value in ipairs({...}) do
      if type(value) == "string" then
         one.values[at]:set_rand_str(value)
      else
         one.values[at]:set(value)
      end
   end
   one.statement:execute()
end

function event()
   start:execute()
   local from = any_table()
   for _ = 1, sysbench.opt.point_selects do
      execute(from.point, any_row())
   end
   execute(any_table().index, any_row())
   execute(any_table().other, C, any_row())
   local again, row = any_table(), any_row()
   execute(again.delete, row)
   execute(again.insert, row, any_row(), C, PAD)
   finish:execute()
end
