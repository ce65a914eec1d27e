"""Controls: rules for records, approvals, who may do what, samples for an audit."""
