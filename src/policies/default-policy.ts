/**
 * What a configuration starts with. In a tenant of one there is nobody else to review: the one person confirms, and it is
 * marked "not four eyes".
 */
export const defaultPolicy = (
  activeMembers: number,
): string => `// What every new configuration starts with: change it as you need.

@id("reads")
permit (principal, action in Action::"read", resource);

@id("writes need approval")
@approval("${activeMembers > 1 ? 'review' : 'confirm'}")
permit (principal, action in Action::"write", resource);

@id("nothing destructive")
forbid (principal, action in Action::"destructive", resource);
`;
