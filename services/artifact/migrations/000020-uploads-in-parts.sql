-- An upload in parts under way: the object it will become, and the store's name for it. Each has a key of its own, which
-- stands in object_trash until the parts are joined and linked.
alter table artifacts add column parts_key text, add column parts_upload_id text;
