export interface RobotsDirectives {
  isIndexed: boolean;
  isFollowed: boolean;
}

/**
 * Reads `X-Robots-Tag` or the content of a robots meta element. A directive for another crawler applies only to it; the
 * ones after it apply to all, because several headers arrive joined.
 */
export function robotsDirectives(text: string, userAgent: string): RobotsDirectives {
  const directives = { isIndexed: true, isFollowed: true };
  for (const part of text.toLowerCase().split(',')) {
    const colon = part.indexOf(':');
    const name = part.slice(0, Math.max(colon, 0)).trim();
    if (colon !== -1 && name !== userAgent) continue;
    const directive = part.slice(colon + 1).trim();
    if (directive === 'noindex' || directive === 'none') directives.isIndexed = false;
    if (directive === 'nofollow' || directive === 'none') directives.isFollowed = false;
  }
  return directives;
}
