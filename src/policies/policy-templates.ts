export interface PolicyTemplateText {
  id: string;
  name: string;
  description: string;
  /** Cedar policies. */
  text: string;
}

const reads = `@id("reads")
permit (principal, action in Action::"read", resource);`;

const nothingDestructive = `@id("nothing destructive")
forbid (principal, action in Action::"destructive", resource);`;

const writesNeedApproval = (step: string) => `@id("writes need approval")
@approval("${step}")
permit (principal, action in Action::"write", resource);`;

/** Texts for the usual cases. They name effects only, so they fit the tools of every configuration. */
export const policyTemplates = ({ step }: { step: string }): PolicyTemplateText[] => [
  {
    id: 'reads-free-writes-approved',
    name: 'Reads free, writes approved',
    description: 'Read-only tools run at once. Write tools need an approval. Destructive tools are denied.',
    text: textOf(reads, writesNeedApproval(step), nothingDestructive),
  },
  {
    id: 'read-only',
    name: 'Read only',
    description: 'Read-only tools run at once. Everything else is denied.',
    text: textOf(reads),
  },
  {
    id: 'nothing-destructive',
    name: 'Deny destructive',
    description: 'Read-only tools and write tools run at once. Destructive tools are denied.',
    text: textOf(
      reads,
      `@id("writes")
permit (principal, action in Action::"write", resource);`,
      nothingDestructive,
    ),
  },
  {
    id: 'agents-need-approval',
    name: 'People free, agents approved',
    description: 'People use write tools at once. Agents need an approval. Destructive tools always need one.',
    text: textOf(
      reads,
      `@id("writes of people")
permit (principal is Member, action in Action::"write", resource);`,
      `@id("writes of agents need approval")
@approval("${step}")
permit (principal is Agent, action in Action::"write", resource);`,
      `@id("destructive tools need approval")
@approval("${step}")
permit (principal, action in Action::"destructive", resource);`,
    ),
  },
  {
    id: 'external-text',
    name: 'Approval after external text',
    description:
      'Write tools run at once until a task has read text from an external system; then they need an approval. Destructive tools are denied.',
    text: textOf(
      reads,
      `@id("writes before external text")
permit (principal, action in Action::"write", resource)
unless { context.tainted };`,
      `@id("writes after external text")
@approval("${step}")
permit (principal, action in Action::"write", resource)
when { context.tainted };`,
      nothingDestructive,
    ),
  },
  {
    id: 'business-hours',
    name: 'Business hours',
    description:
      'Write tools run from 07:00 to 18:00 UTC, and need an approval at other times. Destructive tools are denied.',
    text: textOf(
      reads,
      `@id("writes in business hours")
permit (principal, action in Action::"write", resource)
when { context.time.toTime() >= duration("7h") && context.time.toTime() < duration("18h") };`,
      `@id("writes at other times")
@approval("${step}")
permit (principal, action in Action::"write", resource)
unless { context.time.toTime() >= duration("7h") && context.time.toTime() < duration("18h") };`,
      nothingDestructive,
    ),
  },
];

const textOf = (...policies: string[]): string => `${policies.join('\n\n')}\n`;
