/**
 * What a configuration starts with. If nobody else could review (a tenant of one, or every other administrator was introduced by
 * whoever makes the configuration), calls are confirmed, which is marked "not four eyes".
 */
export const defaultPolicy = ({
  hasReviewer,
}: {
  hasReviewer: boolean;
}): string => `// What every new configuration starts with: change it as you need.

@id("reads")
permit (principal, action in Action::"read", resource);

@id("writes need approval")
@approval("${hasReviewer ? 'review' : 'confirm'}")
permit (principal, action in Action::"write", resource);

@id("nothing destructive")
forbid (principal, action in Action::"destructive", resource);
`;
