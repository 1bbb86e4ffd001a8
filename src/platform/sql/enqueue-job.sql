-- Adds a job in the caller's transaction. Only the owner of the database can access the tables of the queue.
create or replace function cs_enqueue(task text, payload json, job_key text, run_at timestamptz, max_attempts int) returns void
language plpgsql security definer set search_path = pg_catalog
as $$
declare
  suspect record;
  queue_name text;
begin
  -- the row lock makes the sweep of lost jobs wait for this transaction, so that the sweep sees the job that is added here
  select s.losses, s.quarantined_at into suspect from public.suspect_jobs s
  where s.task = cs_enqueue.task and s.payload = cs_enqueue.payload::jsonb
  for share;
  if found then
    if suspect.quarantined_at is not null then return; end if;
    if suspect.losses > 0 then queue_name := 'suspects'; end if;
  end if;
  perform graphile_worker.add_job(
    cs_enqueue.task, cs_enqueue.payload, queue_name, cs_enqueue.run_at, cs_enqueue.max_attempts, cs_enqueue.job_key);
end $$;

revoke all on function cs_enqueue from public;
grant execute on function cs_enqueue to cs_app, cs_system, cs_bulk;
