-- Adds a chunk to the artifacts: appends it to its artifact, or replaces the artifact's parts.
create or replace function tasks_add_chunk(p_artifacts json, p_chunk json) returns json language sql immutable
as $$
  with before as (
    select a.nth, a.artifact, a.artifact ->> 'artifactId' = p_chunk ->> 'artifactId' as is_same
    from json_array_elements(coalesce(p_artifacts, '[]')) with ordinality as a(artifact, nth)
  ), placed as (
    select nth, case when not is_same then artifact else json_build_object(
      'artifactId', p_chunk -> 'artifactId',
      'name', coalesce(p_chunk ->> 'name', artifact ->> 'name'),
      'parts', case when (p_chunk ->> 'append')::boolean then (
        select json_agg(p.part order by p.piece, p.nth) from (
          select 1 as piece, o.nth, o.part from json_array_elements(artifact -> 'parts') with ordinality as o(part, nth)
          union all
          select 2, n.nth, n.part from json_array_elements(p_chunk -> 'parts') with ordinality as n(part, nth)
        ) p) else p_chunk -> 'parts' end) end as artifact
    from before
    union all
    select 1000000, json_build_object(
      'artifactId', p_chunk -> 'artifactId',
      'name', coalesce(p_chunk ->> 'name', p_chunk ->> 'artifactId'),
      'parts', p_chunk -> 'parts')
    where not exists (select from before where is_same)
  )
  select json_agg(artifact order by nth) from placed
$$;

revoke all on function tasks_add_chunk from public;
grant execute on function tasks_add_chunk to cs_app;
