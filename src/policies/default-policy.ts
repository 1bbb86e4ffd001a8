/**
 * The policies of a new configuration. Writes need a review by somebody else, also while that person is only invited. If
 * nobody can review (the organization has a single member, or the creator of the configuration introduced every other
 * administrator), writes need only confirmation, which is marked as self-approved.
 */
export const defaultPolicy = ({
  needsReview,
}: {
  needsReview: boolean;
}): string => `// The default policies of every new configuration: change them as you need.

@id("reads")
permit (principal, action in Action::"read", resource);

@id("writes need approval")
@approval("${needsReview ? 'review' : 'confirm'}")
permit (principal, action in Action::"write", resource);

@id("nothing destructive")
forbid (principal, action in Action::"destructive", resource);
`;
