//! A plan in words: which unit gets which text.

use crate::call::Call;
use crate::plan::Plan;
use crate::template::Template;

/// The name of each unit and its text, in the order of the plan.
pub fn explain(plan: &Plan, template: &Template, call: &Call<'_>) -> Vec<(String, String)> {
    let name = |unit: u16| {
        let units = template.database().map(|database| &database.units);
        units
            .and_then(|units| units.get_index(usize::from(unit)))
            .map(|(name, _)| name.clone())
            .unwrap_or_default()
    };
    let text = |unit| {
        let mut text = Vec::new();
        template.render(call, unit, &mut text);
        String::from_utf8_lossy(&text).into_owned()
    };
    plan.units.iter().map(|unit| (name(unit.unit), text(unit))).collect()
}
