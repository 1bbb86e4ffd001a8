-- A UUIDv7, like Node's randomUUIDv7: ids that grow with time are appended to the index.
create or replace function cs_new_id() returns uuid language sql volatile
as $$
  select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
    placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid
$$;

revoke all on function cs_new_id from public;
grant execute on function cs_new_id to cs_app, cs_system;
