const micros = (time: string) => `(extract(epoch from ${time}) * 1000000)::float8`;

/**
 * $1 tenant, $2 members. Everyone who configured a sign-in provider introduces each member with an identity at that
 * provider.
 */
export const introductionsOf = `
  select member_id as member, made_by as by, kind, ${micros('made_at')} as "madeAt", ${micros('at')} as at
  from introductions where tenant_id = $1 and member_id = any($2::uuid[]) and made_by is not null
  union all
  select i.member_id, c.changed_by, 'provider', ${micros('c.at')}, ${micros('greatest(i.at, c.at)')}
  from introductions i
  join sign_in_provider_changes c on c.tenant_id = i.tenant_id and c.issuer = i.issuer
  where i.tenant_id = $1 and i.member_id = any($2::uuid[]) and i.kind = 'provider'`;

/** $1 tenant, $2 members */
export const vouchesOf = `
  select member_id as member, made_by as by, ${micros('at')} as at from vouches
  where tenant_id = $1 and member_id = any($2::uuid[])`;

/** $1 tenant, $2 since, $3 members */
export const statusChangesOf = `
  select changed_by as "changedBy", member_id as "memberId", at from member_status_changes
  where tenant_id = $1 and at > $2 and member_id = any($3::uuid[]) and changed_by is not null`;

export const insertIntroduction = `
  insert into introductions (tenant_id, id, member_id, kind, made_by, issuer, made_at, at)
  values ($1, $2, $3, $4, $5, $6, coalesce($7, clock_timestamp()), clock_timestamp())`;
export const insertProviderChange = `
  insert into sign_in_provider_changes (tenant_id, id, issuer, changed_by, at) values ($1, $2, $3, $4, clock_timestamp())`;
export const insertStatusChange = `
  insert into member_status_changes (tenant_id, id, member_id, change, changed_by, at)
  values ($1, $2, $3, $4, $5, clock_timestamp())`;
