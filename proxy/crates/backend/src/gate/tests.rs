use super::*;

fn gate(max: u32, active: Option<u32>) -> Gate {
    Gate::new(&PoolSpec { max, active, ..PoolSpec::default() })
}

/// Lets in as many as come.
fn fill(gate: &Gate) -> Vec<Entry> {
    std::iter::from_fn(|| gate.enter()).take(1000).collect()
}

#[test]
fn lets_in_as_many_as_the_limit_says_and_one_for_each_that_leaves() {
    let gate = gate(50, Some(3));
    let entries = fill(&gate);
    assert_eq!(entries.len(), 3);
    gate.leave(entries[0]);
    assert_eq!(fill(&gate).len(), 1);
}

#[test]
fn a_fixed_limit_is_never_more_than_the_pool_and_never_moves() {
    let gate = gate(4, Some(9));
    assert_eq!(gate.limit(), 4);
    let start = Instant::now();
    for tick in 0..100 {
        gate.tick(start + tick * TICK, 0);
    }
    assert_eq!(gate.limit(), 4);
}

#[test]
fn who_stays_for_two_eras_counts_no_more() {
    let gate = gate(50, Some(2));
    let long = fill(&gate);
    gate.advance();
    assert_eq!(gate.enter(), None, "in the next era they still count");
    gate.advance();
    assert_eq!(fill(&gate).len(), 2);
    // They leave late, and take nothing from those who came since.
    long.into_iter().for_each(|entry| gate.leave(entry));
    assert_eq!(gate.enter(), None);
}

#[test]
fn counts_begin_at_nothing_when_an_era_comes_round_again() {
    let gate = gate(50, Some(2));
    for _ in 0..9 {
        // Nobody ever leaves.
        assert_eq!(fill(&gate).len(), 2);
        gate.advance();
        gate.advance();
    }
}

#[test]
fn time_lets_others_in_past_those_who_stay() {
    let gate = gate(50, Some(2));
    fill(&gate);
    let start = Instant::now();
    let open = (0..20).find(|tick| gate.tick(start + *tick * TICK, 0) && gate.enter().is_some());
    assert_eq!(open.map(|tick| tick * TICK), Some(2 * ERA));
}

#[test]
fn the_limit_opens_up_while_nothing_comes_back() {
    let gate = gate(50, None);
    let first = gate.limit();
    let start = Instant::now();
    let mut tick = 0;
    let mut go_on = |ticks: u32, served: &mut u64, each: u64| {
        for _ in 0..ticks {
            gate.tick(start + tick * TICK, *served);
            (tick, *served) = (tick + 1, *served + each);
        }
        gate.limit()
    };
    let mut served = 0;
    assert_eq!(go_on(2, &mut served, 0), first);
    assert_eq!(go_on(1, &mut served, 0), 2 * first, "after 20 ms");
    assert_eq!(go_on(6, &mut served, 0), 50);
    // It is found again once work goes on: this server gives the same however many ask.
    assert!(go_on(6000, &mut served, 50) < 16);
}

#[test]
fn two_workers_do_not_tick_twice() {
    let gate = gate(50, None);
    let first = gate.limit();
    let start = Instant::now();
    for tick in 0..3 {
        gate.tick(start + tick * TICK, 0);
        assert!(!gate.tick(start + tick * TICK, 0));
    }
    assert_eq!(gate.limit(), 2 * first);
}

#[test]
fn a_pause_is_no_stall() {
    let gate = gate(50, None);
    let first = gate.limit();
    let start = Instant::now();
    for round in 0..5 {
        gate.tick(start + round * Duration::from_secs(1), 0);
        gate.tick(start + round * Duration::from_secs(1) + TICK, 0);
    }
    assert_eq!(gate.limit(), first);
}

#[test]
fn who_stays_while_nobody_waits_does_not_count_for_long() {
    let gate = gate(50, Some(2));
    fill(&gate);
    let start = Instant::now();
    gate.rest(start);
    gate.rest(start);
    assert_eq!(fill(&gate).len(), 2);
    // While somebody waits, only ticks go on with time.
    gate.tick(start, 0);
    gate.rest(start);
    gate.rest(start);
    assert_eq!(gate.enter(), None);
}
