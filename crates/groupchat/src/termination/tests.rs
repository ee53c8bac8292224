use super::*;

#[test]
fn impossible_conditions_are_found() {
    assert!(
        Termination::terminate()
            .or(Termination::max_messages(3))
            .is_certain()
    );
    assert!(
        !Termination::terminate()
            .and(Termination::max_messages(3))
            .is_certain()
    );
    let none = Termination::TokenUsage {
        total: None,
        prompt: None,
        completion: None,
    };
    assert!(none.mistake().is_some());
    assert!(Termination::All(vec![]).mistake().is_some());
    assert!(Termination::terminate().mistake().is_none());
}
