import { Section } from '../../kit/section.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { hasSecondPerson } from '../../features/approvals/reviewers.tsx';
import { HealthBadge } from '../../features/integrations/health.tsx';
import { Entries, Entry } from './entries.tsx';
import type { HomeData } from './home-query.ts';

type Connection = NonNullable<HomeData['connections']>['nodes'][number];

const hasProblem = ({ status, pausedAt }: Connection) =>
  pausedAt !== null || status === 'failed' || status === 'limited';

const connectionsWithProblems = ({ connections }: HomeData): Connection[] =>
  connections?.nodes.filter(hasProblem) ?? [];

/** The configurations that one person created for themselves, once there is a second one. */
const configurationsToReview = ({ reviewerStatus, configurationsWithoutReview }: HomeData): string[] =>
  reviewerStatus && hasSecondPerson(reviewerStatus) ? (configurationsWithoutReview ?? []) : [];

export const hasIssues = (today: HomeData): boolean =>
  connectionsWithProblems(today).length > 0 ||
  configurationsToReview(today).length > 0 ||
  Boolean(today.toolsPendingReview?.length || today.unsettled?.totalCount || today.estateFindings?.totalCount);

/** Issues that this person can resolve. */
export function Issues({ of: today }: { of: HomeData }) {
  if (!hasIssues(today)) return null;
  const { toolsPendingReview, unsettled, estateFindings } = today;
  return (
    <Section title="Needs attention">
      <Entries>
        {unsettled?.nodes.map(({ id, tool, taskId }) => (
          <Entry
            key={id}
            to={taskId ? `/tasks/${taskId}` : '/tasks'}
            title={<Untrusted text={tool} />}
            about="The outcome of this call is unknown. Check the connected system, then resolve it."
            aside={<StateBadge state="unsettled" label="Outcome unknown" />}
          />
        ))}
        {toolsPendingReview?.slice(0, 3).map(({ id, connectionId, name }) => (
          <Entry
            key={id}
            to={`/integrations/${connectionId}/tools/${id}`}
            title={<Untrusted text={name} />}
            about="The tool definition changed after it was confirmed. Review the change to unblock it."
            aside={<StateBadge state="waiting" label="Blocked" />}
          />
        ))}
        {connectionsWithProblems(today)
          .slice(0, 5)
          .map((connection) => (
            <Entry
              key={connection.id}
              to={`/integrations/${connection.id}`}
              title={<Untrusted text={connection.name} />}
              aside={<HealthBadge of={connection} />}
            />
          ))}
        {configurationsToReview(today)
          .slice(0, 1)
          .map((id) => (
            <Entry
              key={id}
              to={`/agents/capabilities/configurations/${id}/policy`}
              title="Require a second person for write calls"
              about="Another administrator has joined. The policy still lets one person confirm."
            />
          ))}
        {estateFindings && estateFindings.totalCount > 0 && (
          <Entry
            to="/estate"
            title={
              estateFindings.totalCount === 1
                ? '1 critical finding in AI client configurations'
                : `${estateFindings.totalCount} critical findings in AI client configurations`
            }
            aside={<StateBadge state="critical" label="Critical" />}
          />
        )}
      </Entries>
    </Section>
  );
}
