/**
 * The policies of a new configuration. If no one else can review (the tenant has a single member, or the creator of the
 * configuration introduced every other administrator), writes need only confirmation, which is marked as self-approved.
 */
export const defaultPolicy = ({
  hasReviewer,
}: {
  hasReviewer: boolean;
}): string => `// The default policies of every new configuration: change them as you need.

@id("reads")
permit (principal, action in Action::"read", resource);

@id("writes need approval")
@approval("${hasReviewer ? 'review' : 'confirm'}")
permit (principal, action in Action::"write", resource);

@id("nothing destructive")
forbid (principal, action in Action::"destructive", resource);
`;
