import { useOutletContext } from 'react-router';
import { graphql, type ResultOf } from '../../api/graphql.ts';

/* Setup progress is derived from what exists, so a person can leave and continue at any time. */

export const progressQuery = graphql(`
  query SetupProgress {
    members(status: active, first: 1) {
      totalCount
    }
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
      }
    }
  }
`);

type Data = ResultOf<typeof progressQuery>;
export type SetupConnection = Data['connections']['nodes'][number];
export type SetupConfiguration = Data['configurations']['nodes'][number];

export interface SetupProgress {
  memberCount: number;
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
  const { nodes } = data.connections;
  return {
    memberCount: data.members.totalCount,
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
}

const hasConfiguration = ({ configuration }: SetupProgress) => configuration !== undefined;
const hasIntegration = (progress: SetupProgress) => progress.integrations.length > 0 || hasConfiguration(progress);

/** A skipped step counts as done once a later step is done: there is no other record of the choice. */
export const steps: readonly SetupStep[] = [
  {
    path: 'people',
    label: 'Second approver',
    isDone: (progress) => progress.memberCount > 1 || progress.invitations.length > 0 || hasIntegration(progress),
  },
  { path: 'integration', label: 'First integration', isDone: hasIntegration },
  {
    path: 'model',
    label: 'Language model',
    isDone: (progress) => progress.hasDefaultModel || progress.models.length > 0 || hasConfiguration(progress),
  },
  { path: 'configuration', label: 'First configuration', isDone: hasConfiguration },
  { path: 'task', label: 'First task', isDone: ({ task }) => task !== undefined },
];

export const nextOf = (progress: SetupProgress): SetupStep | undefined => steps.find(({ isDone }) => !isDone(progress));

export interface SetupContext {
  progress: SetupProgress;
  /** Refetches after something was created. */
  refetch(): void;
}

export const useSetup = () => useOutletContext<SetupContext>();
