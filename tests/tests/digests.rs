//! Figures of statements by digest: what ran how often, over all workers, and who may see it.

use weir_tests::{Bed, Client, Own};

/// Digest, count, errors, rows sent and rows changed of statements like a pattern.
fn figures(client: &mut Client, pattern: &str) -> Vec<[String; 5]> {
    let rows = client.rows(format!("SHOW STATEMENT DIGESTS LIKE '{pattern}'"));
    let mut figures: Vec<_> = rows.iter().map(|row| [2, 3, 4, 6, 7].map(|at| row[at].clone())).collect();
    // They come by their times.
    figures.sort();
    figures
}

fn figure(text: &str, figures: [u32; 4]) -> [String; 5] {
    let [count, errors, sent, affected] = figures.map(|figure| figure.to_string());
    [text.to_owned(), count, errors, sent, affected]
}

#[test]
fn statements_are_counted_by_digest_over_all_workers() {
    let own = Own::new(Bed::shared(), "digests", &[]);
    let mut administrator = own.client();
    administrator.run("RESET STATEMENT DIGESTS");
    // Several sessions, so that more than one worker has some.
    let mut clients: Vec<_> = (0..6).map(|_| own.client()).collect();
    for (number, client) in clients.iter_mut().enumerate() {
        client.run(format!("SELECT v FROM t WHERE id={number}"));
        client.run(format!("SELECT  v FROM t /* {number} */ WHERE id = {}", number + 100));
        client.run(format!("UPDATE t SET v = {} WHERE id IN (1, 2)", number + 10));
        assert_eq!(client.fault("SELECT nosuch FROM t WHERE id = 1").code, 1054);
    }
    assert_eq!(
        figures(&mut administrator, "%t%WHERE%"),
        [
            figure("SELECT nosuch FROM t WHERE id = ?", [6, 6, 0, 0]),
            figure("SELECT v FROM t WHERE id = ?", [12, 0, 2, 0]),
            figure("UPDATE t SET v = ? WHERE id IN (...)", [6, 0, 0, 12]),
        ]
    );
    let [row] = &administrator.rows("SHOW STATEMENT DIGESTS FROM digests LIKE 'SELECT v%' LIMIT 1")[..]
    else {
        panic!("one row is wanted")
    };
    let time = |at: usize| row[at].parse::<f64>().expect("milliseconds");
    let (total, least, mean, half, most) = (time(8), time(9), time(10), time(11), time(14));
    assert!(least > 0.0 && least <= mean && mean <= most && total >= most, "{row:?}");
    assert!(least <= half && half <= time(12) && time(12) <= time(13) && time(13) <= most, "{row:?}");
    assert!(row[15] <= row[16], "{row:?}");
    assert!(administrator.rows("SHOW STATEMENT DIGESTS FROM nosuch").is_empty());
}

#[test]
fn nothing_is_kept_while_that_is_off() {
    let own = Own::new(Bed::shared(), "digests_off", &["proxy-statement-digests-enabled: false"]);
    let mut client = own.client();
    client.run("SELECT v FROM t WHERE id = 1");
    assert!(client.rows("SHOW STATEMENT DIGESTS").is_empty());
}
