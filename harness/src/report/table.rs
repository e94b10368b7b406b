//! The report as text: a head that says what was measured on what, one table for each load, and
//! then what follows from them.

use std::fmt::Write as _;

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, ContentArrangement, Table};

use super::{Documented, Group, Report, Series, Standing};
use crate::measure::{Spread, Trial, Verdict};

pub(super) fn text(report: &Report, width: Option<u16>) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = head(&mut out, report);
    for group in &report.groups {
        let table = table(group, width);
        let _ = writeln!(out, "\n{}\n{table}", group.title);
        if table.to_string().contains('≈') {
            let _ = writeln!(out, "  ≈ within the spread: no difference");
        }
        let memory: Vec<String> = group.arms.iter().filter_map(memory).collect();
        if !memory.is_empty() {
            let _ = writeln!(out, "  peak memory of the proxy: {}", memory.join(", "));
        }
        for series in &group.arms {
            for fault in series.faults() {
                let _ = writeln!(out, "  ! {}: a run is invalid: {fault}", series.arm);
            }
        }
    }
    let _ = tail(&mut out, report);
    out
}

fn head(out: &mut String, report: &Report) -> std::fmt::Result {
    let host = &report.host;
    writeln!(out, "{}", report.title)?;
    writeln!(out, "  {}   {}", report.started, report.command)?;
    writeln!(
        out,
        "  host: {} × {}, {} MB, {}, Linux {}; load average {:.2} before, {:.2} after",
        host.cores,
        host.cpu,
        host.memory,
        host.system,
        host.kernel,
        report.load_average[0],
        report.load_average[1]
    )?;
    for (name, version) in &report.versions {
        writeln!(out, "  {name}: {version}")?;
    }
    if !report.settings.is_empty() {
        writeln!(out, "  servers: {}", report.settings.join(" "))?;
    }
    Ok(())
}

fn tail(out: &mut String, report: &Report) -> std::fmt::Result {
    if !report.findings.is_empty() {
        writeln!(out, "\nTargets")?;
    }
    for finding in &report.findings {
        let mark = match finding.standing {
            Standing::Met => "✓",
            Standing::Missed => "✗",
            Standing::Unclear => "?",
        };
        writeln!(out, "  {mark} {}: {}", finding.target, finding.measured)?;
    }
    if !report.checks.is_empty() {
        writeln!(out, "\nChecks")?;
    }
    for check in &report.checks {
        match &check.fault {
            None => writeln!(out, "  ✓ {}", check.name)?,
            Some(fault) => writeln!(out, "  ✗ {}: {fault}", check.name)?,
        }
    }
    if !report.skipped.is_empty() || !report.notes.is_empty() {
        writeln!(out)?;
    }
    for skipped in &report.skipped {
        writeln!(out, "skipped: {skipped}")?;
    }
    for note in &report.notes {
        writeln!(out, "{note}")?;
    }
    Ok(())
}

fn memory(series: &Series) -> Option<String> {
    let peak = series.valid().map(|trial| trial.proxy_memory).max().filter(|peak| *peak > 0)?;
    // kB as the kernel counts them.
    Some(format!("{} {:.0} MB", series.arm, (peak * 1024) as f64 / 1e6))
}

/// One row for each arm. Figures are medians of the valid rounds, with (smallest–largest).
fn table(group: &Group, width: Option<u16>) -> Table {
    let transactions =
        group.arms.iter().flat_map(Series::valid).any(|trial| trial.summary.tps < trial.summary.qps);
    let documented = group.arms.iter().any(|series| series.documented.is_some());
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    if let Some(width) = width {
        table.set_width(width);
    }
    let base = group.arms.first();
    let mut header = vec!["arm".to_owned()];
    if transactions {
        header.push("TPS".to_owned());
    }
    header.push("QPS".to_owned());
    if let Some(base) = base {
        header.push(format!("of {}", base.arm));
    }
    header.extend(["avg ms", "p95 ms", "p99 ms", "proxy CPU µs/q", "servers", "client"].map(str::to_owned));
    if documented {
        header.push("documented".to_owned());
    }
    table.set_header(header);
    for series in &group.arms {
        table.add_row(row(series, base, transactions, documented));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn row(series: &Series, base: Option<&Series>, transactions: bool, documented: bool) -> Vec<String> {
    let mut row = vec![series.arm.clone()];
    if transactions {
        row.push(spread(series.spread(|trial| trial.summary.tps), 0));
    }
    row.push(spread(series.spread(|trial| trial.summary.qps), 0));
    if let Some(base) = base {
        row.push(share(series, base));
    }
    let latency: [super::Figure; 3] = [
        |trial| trial.summary.latency.avg,
        |trial| trial.summary.latency.p95,
        |trial| trial.summary.latency.p99,
    ];
    row.extend(latency.map(|figure| median(series.spread(figure), 2)));
    row.push(match series.spread(|trial| trial.cost.proxy) {
        Some(none) if none.max == 0.0 => "–".to_owned(),
        cost => spread(cost, 1),
    });
    row.push(median(series.spread(|trial| trial.cost.servers), 1));
    row.push(median(series.spread(|trial| trial.cost.client), 1));
    if documented {
        row.push(series.documented.as_ref().map(quoted).unwrap_or_default());
    }
    row
}

fn share(series: &Series, base: &Series) -> String {
    if std::ptr::eq(series, base) {
        return "1".to_owned();
    }
    let figure = |trial: &Trial| trial.summary.qps;
    let text = spread(series.share(base, figure), 2);
    match series.differs(base, figure) {
        Verdict::None if series.valid().count() > 1 => format!("{text} ≈"),
        _ => text,
    }
}

fn quoted(figures: &Documented) -> String {
    let mut parts = Vec::new();
    let mut add = |value: Option<f64>, unit: &str| {
        if let Some(value) = value {
            parts.push(format!("{value} {unit}"));
        }
    };
    add(figures.tps, "TPS");
    add(figures.qps, "QPS");
    add(figures.p95, "ms p95");
    add(figures.p99, "ms p99");
    if let Some(threads) = figures.threads {
        parts.push(format!("{threads} threads"));
    }
    parts.join(", ")
}

fn median(figure: Option<Spread>, digits: usize) -> String {
    figure.map_or_else(|| "–".to_owned(), |figure| number(figure.median, digits))
}

/// `median (min–max)`, without the brackets when there is no spread to show.
fn spread(figure: Option<Spread>, digits: usize) -> String {
    let Some(figure) = figure else { return "–".to_owned() };
    let [middle, min, max] = [figure.median, figure.min, figure.max].map(|value| number(value, digits));
    if min == max { middle } else { format!("{middle} ({min}–{max})") }
}

/// With thousands apart: `12,345`.
pub(super) fn number(value: f64, digits: usize) -> String {
    let plain = format!("{value:.digits$}");
    let (whole, rest) = plain.split_at(plain.find('.').unwrap_or(plain.len()));
    let mut out = String::new();
    for (at, digit) in whole.chars().enumerate() {
        let left = whole.len() - at;
        if at > 0 && left % 3 == 0 && digit.is_ascii_digit() && !out.ends_with('-') {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
}
