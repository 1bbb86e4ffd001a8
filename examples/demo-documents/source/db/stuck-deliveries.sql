-- Deliveries that have not changed for 30 minutes although they should move. Field looks at this list every morning.
select d.id, s.name as site, d.state, now() - max(e.at) as silent_for
from deliveries d
join sites s on s.id = d.site_id
join delivery_events e on e.delivery_id = d.id
where d.state in ('assigned', 'loading', 'moving')
group by d.id, s.name, d.state
having max(e.at) < now() - interval '30 minutes'
order by silent_for desc;
