/** $1 hash, $2 purpose, $3 hash of the browser's cookie, $4 context, $5 lifetime in seconds */
export const insertChallenge = `
  insert into challenges (hash, purpose, browser, context, created_at, expires_at)
  values ($1, $2, $3, $4, now(), now() + make_interval(secs => $5))`;

/**
 * Of two concurrent responses only one gets the row. A response from another browser does not consume the challenge.
 */
export const consumeChallenge = `
  delete from challenges where hash = $1 and purpose = any($2) and browser = $3 and expires_at > now()
  returning purpose, context, created_at as "createdAt"`;

export const sweepChallenges = `delete from challenges where expires_at < now()`;
