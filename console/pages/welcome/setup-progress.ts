import { useOutletContext } from 'react-router';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { hasSecondPerson, type ReviewerStatus } from '../../features/approvals/reviewers.tsx';

/* Setup progress is derived from what exists, so a person can leave and continue at any time. */

export const progressQuery = graphql(`
  query SetupProgress {
    members(status: active, first: 1) {
      totalCount
    }
    reviewerStatus
    links(isOpen: true, first: 20) {
      nodes {
        id
        kind
        email
        expiresAt
      }
    }
    connectors {
      id
      offers
    }
    connections(first: 50) {
      nodes {
        id
        kind
        name
        status
        statusReason
      }
    }
    knowledgeSources {
      connectionId
      documentCount
      completeAt
    }
    hasDefaultModel
    configurations(first: 1) {
      nodes {
        id
        name
        a2aUrl
        agents {
          id
          name
          keys {
            id
            hint
            pausedAt
            expiresAt
            revokedAt
          }
        }
      }
    }
    tasks(first: 1) {
      nodes {
        id
        state
        artifacts
      }
    }
  }
`);

type Data = ResultOf<typeof progressQuery>;
export type SetupConnection = Data['connections']['nodes'][number] & {
  /** The documents that were read; null: none yet, or it has no documents. */
  documentCount: number | null;
};
export type SetupConfiguration = Data['configurations']['nodes'][number];

export interface SetupProgress {
  memberCount: number;
  reviewerStatus: ReviewerStatus;
  invitations: Data['links']['nodes'];
  /** Connections with tools or documents. */
  integrations: SetupConnection[];
  models: SetupConnection[];
  hasDefaultModel: boolean;
  /** The newest configuration. */
  configuration: SetupConfiguration | undefined;
  task: Data['tasks']['nodes'][number] | undefined;
}

export function progressOf(data: Data): SetupProgress {
  const offers = (kind: string) => data.connectors.find(({ id }) => id === kind)?.offers ?? [];
  const nodes = data.connections.nodes.map((connection) => {
    const source = data.knowledgeSources.find(({ connectionId }) => connectionId === connection.id);
    return { ...connection, documentCount: source?.completeAt ? source.documentCount : null };
  });
  return {
    memberCount: data.members.totalCount,
    reviewerStatus: data.reviewerStatus,
    invitations: data.links.nodes.filter(({ kind }) => kind === 'invitation'),
    integrations: nodes.filter(({ kind }) => offers(kind).some((offer) => offer === 'tools' || offer === 'knowledge')),
    models: nodes.filter(({ kind }) => offers(kind).includes('model')),
    hasDefaultModel: data.hasDefaultModel,
    configuration: data.configurations.nodes[0],
    task: data.tasks.nodes[0],
  };
}

export interface SetupStep {
  path: string;
  label: string;
  isDone(progress: SetupProgress): boolean;
  /** Without a result, but a later step has one: there is no other record of the choice. */
  isSkipped(progress: SetupProgress): boolean;
  /** Shown below the label of a step, for example because an invitation is open. */
  hint?(progress: SetupProgress): string | false;
}

export const isWorking = ({ status }: Pick<SetupConnection, 'status'>): boolean =>
  status === 'connected' || status === 'limited';
const hasConfiguration = ({ configuration }: SetupProgress) => configuration !== undefined;
const never = () => false;

export const steps: readonly SetupStep[] = [
  {
    path: 'people',
    label: 'Second approver',
    isDone: ({ reviewerStatus }) => reviewerStatus === 'invited' || hasSecondPerson(reviewerStatus),
    isSkipped: (progress) => progress.integrations.length > 0 || hasConfiguration(progress),
    hint: ({ reviewerStatus }) => reviewerStatus === 'invited' && 'Invited, not joined yet',
  },
  {
    path: 'integration',
    label: 'First integration',
    isDone: ({ integrations }) => integrations.some(isWorking),
    isSkipped: hasConfiguration,
  },
  {
    path: 'model',
    label: 'Language model',
    isDone: ({ models, hasDefaultModel }) => hasDefaultModel || models.some(isWorking),
    isSkipped: hasConfiguration,
  },
  { path: 'configuration', label: 'First configuration', isDone: hasConfiguration, isSkipped: never },
  { path: 'task', label: 'First task', isDone: ({ task }) => task !== undefined, isSkipped: never },
];

export const nextOf = (progress: SetupProgress): SetupStep | undefined =>
  steps.find((step) => !step.isDone(progress) && !step.isSkipped(progress));

export interface SetupContext {
  progress: SetupProgress;
  /** Refetches after something was created. */
  refetch(): void;
}

export const useSetup = () => useOutletContext<SetupContext>();
