-- As it was given, such as 15m: events then wait and go out together in one mail.
alter table subscriptions add column digest_every text;

alter table deliveries drop constraint deliveries_kind_check;
-- digest: one mail for what a subscription collected; its body is written when it is first sent.
alter table deliveries add constraint deliveries_kind_check check (kind in ('event', 'test', 'notice', 'digest'));

create table digest_items (
  subscription_id uuid not null references subscriptions,
  -- A redelivered event finds its row already there.
  event_id text not null,
  body text not null,
  -- The digest that tells of it, once one is being sent.
  delivery_id uuid references deliveries on delete cascade,
  created_at timestamptz not null default clock_timestamp(),
  primary key (subscription_id, event_id)
);
create index digest_items_by_delivery on digest_items (delivery_id);
create index digest_items_by_age on digest_items (created_at);

-- How many mails of a project one person was sent in an hour.
create table recipient_mails (
  project_id uuid not null,
  recipient text not null,
  hour timestamptz not null,
  mails int not null,
  primary key (project_id, recipient, hour)
);
create index recipient_mails_by_hour on recipient_mails (hour);
