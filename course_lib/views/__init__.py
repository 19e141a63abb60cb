"""What a learner looks at: pictures and widgets."""
