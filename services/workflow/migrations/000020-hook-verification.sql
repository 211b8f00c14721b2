-- How a hook verifies its callers, and the expression that makes the input of its runs. The secret is sealed by the
-- service, with the id of the hook bound in.
alter table hooks
  add column verify_type text,
  add column verify_header text,
  add column verify_secret bytea,
  add column input_expression text,
  add constraint hooks_verify_whole check ((verify_type is null) = (verify_secret is null));
