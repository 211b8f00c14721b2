-- The audit log is read under another name since, from the oldest event kept: what an iam of a release before could not
-- write while both ran is written now. The group of that release would keep the log from being pruned for a month.
do $$
begin
  if to_regclass('events.groups') is not null then
    delete from events.groups where name = 'iam.audit';
  end if;
end
$$;
