-- As a definition has it: text, 0, or bounds by age and number.
alter table projects alter column retention type json using to_json(retention);

-- Projects whose deletion is to be published once more: what was under way when they were deleted may have left something.
create table project_removals (
  project_id uuid primary key,
  slug text not null,
  due_at timestamptz not null
);
