const slugPattern = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const maxSlugLength = 40;

/** The fault of a URL slug, as a predicate; null: none. */
export function slugFault(slug: string): string | null {
  if (slug.length < 2 || slug.length > maxSlugLength) return `must have 2 to ${maxSlugLength} characters`;
  return slugPattern.test(slug)
    ? null
    : 'must start with a letter and contain only lower-case letters, digits and single hyphens';
}

/** Derives a slug from a name. The result may be invalid if the name has no Latin letters. */
export function slugFrom(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-');
  return plain
    .replace(/^[^a-z]+/, '')
    .slice(0, maxSlugLength)
    .replace(/-+$/, '');
}
