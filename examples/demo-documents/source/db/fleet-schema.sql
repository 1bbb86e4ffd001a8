-- The core of the fleet database. The whole schema is in the repository of Moss.

create table sites (
  id uuid primary key,
  name text not null,
  time_zone text not null,
  support_level text not null check (support_level in ('standard', 'plus', 'round_the_clock'))
);

create table carts (
  id uuid primary key,
  site_id uuid not null references sites (id),
  model text not null check (model in ('pika_2', 'pika_3')),
  software_version text not null,
  rollout_ring smallint not null check (rollout_ring between 0 and 3),
  parked_at timestamptz
);

-- One cart carries at most one delivery at a time: the partial unique index is what guarantees it.
create table deliveries (
  id uuid primary key,
  site_id uuid not null references sites (id),
  cart_id uuid references carts (id),
  state text not null,
  contents text not null,
  contents_note text, -- erased after 90 days by the job erase_contents_notes
  created_at timestamptz not null
);

create unique index one_delivery_per_cart on deliveries (cart_id)
  where state in ('assigned', 'loading', 'moving', 'waiting_for_handoff');
