export interface GithubSite {
  /** The website, for example "https://github.com". */
  webUrl: string;
  /** Part of the ids of audiences and accounts. */
  host: string;
  restUrl: string;
  graphqlUrl: string;
}

/** github.com, GitHub Enterprise Cloud with data residency (ghe.com), or an Enterprise Server. */
export function githubSiteOf(address: unknown): GithubSite {
  const { origin, host, hostname } = new URL(typeof address === 'string' && address ? address : 'https://github.com');
  if (/^(www\.|api\.)?github\.com$/.test(hostname)) return siteAt('https://github.com', 'https://api.github.com');
  const tenant = /^(?:api\.)?([\w-]+\.ghe\.com)$/.exec(hostname)?.[1];
  if (tenant) return siteAt(`https://${tenant}`, `https://api.${tenant}`);
  return { webUrl: origin, host, restUrl: `${origin}/api/v3`, graphqlUrl: `${origin}/api/graphql` };
}

const siteAt = (webUrl: string, api: string): GithubSite => ({
  webUrl,
  host: new URL(webUrl).host,
  restUrl: api,
  graphqlUrl: `${api}/graphql`,
});

export const githubAudienceId = ({ host }: GithubSite, repositoryId: number): string =>
  `${host}/repositories/${repositoryId}`;
export const githubAccountId = ({ host }: GithubSite, userId: number): string => `${host}/users/${userId}`;
