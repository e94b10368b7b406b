//! Queries of several blocks.

use super::chance::Chance;
use super::condition::{condition, filter};
use super::draft::Draft;
use super::query::{by_ordinals, limit};
use super::schema::{A, B, C, H, Kind, O, Table, W};
use super::scope::Scope;
use super::source::keyed;

/// `UNION`, `INTERSECT`, `EXCEPT`.
pub(super) fn set(draft: &mut Draft, chance: &mut Chance) {
    let blocks = [
        ("SELECT id, k FROM a", &A),
        ("SELECT a_id, k FROM b", &B),
        ("SELECT hid, k FROM h", &H),
        ("SELECT cid, k FROM c", &C),
        ("SELECT oid, k FROM o", &O),
        ("SELECT k, u FROM a", &A),
        ("SELECT a_id, n FROM b", &B),
    ];
    draft.rules.planned = true;
    let enclosed = chance.one_in(4);
    let same = chance.one_in(2);
    let first = *chance.of_these(&blocks);
    let parts = 2 + usize::from(chance.one_in(4));
    for at in 0..parts {
        let (text, table) = if same || at == 0 { first } else { *chance.of_these(&blocks) };
        if at > 0 {
            let words =
                [" UNION ", " UNION ALL ", " UNION ALL ", " UNION DISTINCT ", " EXCEPT ", " INTERSECT "];
            draft.say(chance.word(&words));
        }
        draft.say(if enclosed { "(" } else { "" });
        draft.say(text);
        filter(draft, chance, &Scope::table(table, None, false));
        if enclosed && chance.one_in(3) {
            draft.say(&format!(" ORDER BY {} LIMIT {}", table.key.join(", "), 1 + chance.below(9)));
        }
        draft.say(if enclosed { ")" } else { "" });
    }
    if chance.one_in(2) {
        by_ordinals(draft, chance, 2);
        limit(draft, chance);
    }
}

/// A derived table or a common table expression.
pub(super) fn derived(draft: &mut Draft, chance: &mut Chance) {
    draft.rules.planned = true;
    draft.rules.derived = true;
    let mut inner = Draft::default();
    let grouped = chance.one_in(5);
    let columns = if grouped {
        inner.say("SELECT k AS id, COUNT(*) AS k FROM a");
        filter(&mut inner, chance, &Scope::table(&A, None, false));
        inner.say(" GROUP BY k");
        let column = |name, kind| super::schema::Column { name, kind };
        vec![column("id", Kind::Int), column("k", Kind::Int)]
    } else {
        keyed(&mut inner, chance)
    };
    if chance.one_in(6) && !grouped {
        inner.say(&format!(" ORDER BY {} LIMIT 20", columns[0].name));
    }
    let with = chance.one_in(2);
    let scope = Scope::columns("dt", &columns, &[columns[0].name], true);
    if with {
        draft.say(&format!("WITH dt AS ({}) SELECT ", inner.text));
        draft.arguments.append(&mut inner.arguments);
    } else {
        draft.say("SELECT ");
    }
    let shape = chance.below(3);
    draft.say(match shape {
        0 => "*",
        1 => "COUNT(*)",
        _ => "dt.*, 1 AS one",
    });
    if with {
        draft.say(" FROM dt");
    } else {
        draft.say(&format!(" FROM ({}) {}dt", inner.text, chance.word(&["", "AS "])));
        draft.arguments.append(&mut inner.arguments);
    }
    if chance.one_in(2) {
        draft.say(" WHERE ");
        condition(draft, chance, &scope, 1);
    }
    if shape != 1 && chance.one_in(2) {
        draft.say(&format!(" ORDER BY {}{}", scope.key[0], chance.word(&["", " DESC"])));
        draft.rules.ordered = true;
        limit(draft, chance);
    }
}

/// `IN`, `EXISTS` and scalar subqueries.
pub(super) fn nested(draft: &mut Draft, chance: &mut Chance) {
    draft.rules.planned = true;
    let outers: [&Table; 6] = [&A, &A, &B, &H, &C, &O];
    let outer = *chance.of_these(&outers);
    let number =
        outer.columns.iter().find(|column| column.kind == Kind::Int).map_or("1", |column| column.name);
    let key = outer.key[0];
    let all: Vec<_> = outer.key.iter().map(|key| format!("{}.{key}", outer.name)).collect();
    let inners: [(&str, &Table); 8] = [
        ("SELECT a_id FROM b", &B),
        ("SELECT id FROM a", &A),
        ("SELECT cid FROM c", &C),
        ("SELECT oid FROM o", &O),
        ("SELECT hid FROM h", &H),
        ("SELECT k FROM w", &W),
        ("SELECT k FROM b", &B),
        ("SELECT k FROM c", &C),
    ];
    let (inner, table) = *chance.of_these(&inners);
    let column = inner.split(' ').nth(1).unwrap_or_default();
    draft.say(&format!("SELECT {}, {}.{number}", all.join(", "), outer.name));
    let scalar = chance.one_in(4);
    let mut sub = Draft::default();
    if scalar {
        let function = chance.word(&["MAX", "COUNT", "MIN", "SUM"]);
        sub.say(&format!(", (SELECT {function}({column}) FROM {} q", table.name));
        if chance.one_in(2) {
            sub.say(&format!(" WHERE q.{column} = {}.{key}", outer.name));
        }
        sub.say(")");
    }
    draft.say(&format!("{} FROM {}", sub.text, outer.name));
    if !scalar || chance.one_in(3) {
        let not = chance.word(&["", "", "NOT "]);
        match chance.below(4) {
            0 | 1 => {
                let named = chance.word(&[key, key, number]);
                draft.say(&format!(" WHERE {}.{named} {not}IN ({inner}", outer.name));
                filter(draft, chance, &Scope::table(table, None, false));
                draft.say(")");
            }
            2 => {
                draft.say(&format!(
                    " WHERE {not}EXISTS (SELECT 1 FROM {} q WHERE q.{column} = {}.{key}",
                    table.name, outer.name
                ));
                draft.say(")");
            }
            _ => {
                let sign = chance.word(&["> ALL", "= ANY", "< ANY", "<> ALL"]);
                draft.say(&format!(" WHERE {}.{number} {sign} ({inner}", outer.name));
                filter(draft, chance, &Scope::table(table, None, false));
                draft.say(")");
            }
        }
        if chance.one_in(2) {
            draft.say(" AND ");
            condition(draft, chance, &Scope::table(outer, None, true), 1);
        }
    }
    if chance.one_in(2) {
        draft.say(&format!(" ORDER BY {}", all.join(", ")));
        draft.rules.ordered = true;
        limit(draft, chance);
    }
}

/// Forms of which there are few.
pub(super) fn rare(draft: &mut Draft, chance: &mut Chance) {
    draft.rules.planned = true;
    let low = chance.within(-5, 60);
    let (text, ordered) = chance.one_of(&[
        ("WITH one AS (SELECT id, k FROM a WHERE id > ~), two AS (SELECT id FROM one WHERE k > 5) SELECT * FROM two ORDER BY id", true),
        ("WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n ORDER BY i", true),
        ("WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT a.id, n.i FROM n JOIN a ON a.id = n.i ORDER BY a.id", true),
        ("WITH big AS (SELECT a_id, COUNT(*) AS m FROM b GROUP BY a_id) SELECT a.id, big.m FROM a JOIN big ON a.id = big.a_id WHERE a.id > ~ ORDER BY a.id", true),
        ("SELECT a.id, q.m FROM a, LATERAL (SELECT COUNT(*) AS m FROM b WHERE b.a_id = a.id) q WHERE a.id < ~ ORDER BY a.id", true),
        ("TABLE c ORDER BY cid LIMIT 5", true),
        ("TABLE a ORDER BY id LIMIT 5", true),
        ("VALUES ROW(1, 'a'), ROW(2, 'b') ORDER BY 1", true),
        ("SELECT a.id FROM a FORCE INDEX (PRIMARY) WHERE k > 3 AND id > ~ ORDER BY id", true),
        ("SELECT a.id, b.n FROM a LEFT JOIN (b JOIN c ON b.k = c.cid) ON a.id = b.a_id WHERE a.id > ~ ORDER BY a.id, b.n", true),
        ("SELECT a.id, b.n, t3.k FROM a JOIN b ON a.id = b.a_id JOIN a t3 ON t3.id = b.a_id WHERE b.n > ~ ORDER BY a.id, b.n", true),
        ("SELECT id, k FROM a WHERE id > ~ AND k = (SELECT MAX(k) FROM a)", false),
        ("SELECT id FROM a WHERE (id, k) IN (SELECT a_id, k FROM b)", false),
        ("SELECT id FROM a WHERE k > (SELECT AVG(c.k) FROM c) AND id > ~ ORDER BY id", true),
        ("SELECT k, COUNT(*) FROM a GROUP BY k HAVING COUNT(*) > (SELECT COUNT(*) FROM c WHERE c.k = 1) ORDER BY k", true),
        ("SELECT id, CASE WHEN EXISTS (SELECT 1 FROM b WHERE b.a_id = a.id) THEN 'has' ELSE 'none' END AS h FROM a WHERE id > ~ ORDER BY id", true),
        ("SELECT id, (SELECT ai FROM c WHERE c.cid = a.k) AS s FROM a ORDER BY s, id", true),
        ("SELECT DISTINCT k FROM (SELECT k FROM a UNION ALL SELECT k FROM b) u ORDER BY k", true),
        ("SELECT COUNT(*) FROM (SELECT k FROM a UNION SELECT k FROM b) u", false),
        ("SELECT id FROM a WHERE id IN (SELECT a_id FROM b GROUP BY a_id HAVING COUNT(*) > 1) ORDER BY id", true),
        ("SELECT MAX(m) FROM (SELECT COUNT(*) AS m FROM a GROUP BY k) q", false),
        ("SELECT q.k, c.ai FROM (SELECT k, COUNT(*) AS m FROM a GROUP BY k) q JOIN c ON q.k = c.cid ORDER BY q.k", true),
        ("SELECT a.id FROM a NATURAL JOIN c", false),
        ("SELECT * FROM b t1 NATURAL JOIN b t2 ORDER BY a_id, n", true),
        ("SELECT b.a_id, n FROM a RIGHT JOIN b ON a.id = b.a_id AND a.k > 3 WHERE b.n > ~ ORDER BY a_id, n", true),
        ("SELECT a.id FROM a CROSS JOIN c WHERE c.cid = 3 AND a.id > ~ ORDER BY a.id", true),
        ("SELECT id, k FROM a WHERE id > ~ ORDER BY RAND() * 0, id", true),
        ("SELECT id, @v FROM a WHERE id > ~ ORDER BY id", true),
        ("SELECT id FROM a WHERE MATCH_NO.id = 1", false),
        ("SELECT nothing FROM a WHERE id > ~", false),
        ("SELECT a.id FROM a GROUP BY k", false),
        ("SELECT id FROM a ORDER BY 7", false),
        ("SELECT id FROM a LIMIT -1", false),
        ("SELECT SUM(SUM(k)) FROM a", false),
        ("SELECT k FROM a WHERE COUNT(*) > 1", false),
        ("SELECT id, nothing() FROM a", false),
        ("SELECT id FROM a WHERE id = (SELECT id FROM a)", false),
        ("SELECT id FROM missing ORDER BY id", false),
        ("SELECT a.id, b.nothing FROM a JOIN b ON a.id = b.a_id", false),
        ("SELECT id, id FROM a UNION SELECT id FROM a", false),
        ("SELECT CAST('x' AS SIGNED) + id FROM a WHERE id = ~", false),
        ("SELECT id DIV 0, id FROM a WHERE id < ~ ORDER BY id", true),
    ]);
    draft.rules.repeated = true;
    draft.rules.ordered = ordered;
    // What is no SQL at all, the proxy says in words of its own.
    draft.rules.worded = text.contains("LIMIT -1");
    let mut parts = text.split('~');
    draft.say(parts.next().unwrap_or_default());
    for part in parts {
        draft.value(chance, weir_tests::Argument::Int(low));
        draft.say(part);
    }
}
