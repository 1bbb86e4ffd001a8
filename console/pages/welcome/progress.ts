import { useOutletContext } from 'react-router';
import { graphql, type ResultOf } from '../../api/graphql.ts';

/* How far the organization is with its set-up: seen from what is there, so that one may leave and come back at any time. */

export const progressQuery = graphql(`
  query Progress {
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
    connectionKinds {
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
    isModelProvided
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
export type Connection = Data['connections']['nodes'][number];
export type Configuration = Data['configurations']['nodes'][number];

export interface Progress {
  memberCount: number;
  invitations: Data['links']['nodes'];
  /** Connections with tools or documents. */
  integrations: Connection[];
  models: Connection[];
  isModelProvided: boolean;
  /** The newest one. */
  configuration: Configuration | undefined;
  task: Data['tasks']['nodes'][number] | undefined;
}

export function progressOf(data: Data): Progress {
  const offers = (kind: string) => data.connectionKinds.find(({ id }) => id === kind)?.offers ?? [];
  const { nodes } = data.connections;
  return {
    memberCount: data.members.totalCount,
    invitations: data.links.nodes.filter(({ kind }) => kind === 'invitation'),
    integrations: nodes.filter(({ kind }) => offers(kind).some((offer) => offer === 'tools' || offer === 'knowledge')),
    models: nodes.filter(({ kind }) => offers(kind).includes('model')),
    isModelProvided: data.isModelProvided,
    configuration: data.configurations.nodes[0],
    task: data.tasks.nodes[0],
  };
}

export interface Step {
  path: string;
  label: string;
  isDone(progress: Progress): boolean;
}

const hasConfiguration = ({ configuration }: Progress) => configuration !== undefined;
const hasIntegration = (progress: Progress) => progress.integrations.length > 0 || hasConfiguration(progress);

/** Whoever has gone on alone, or with the built-in model, has done so by doing what comes next. */
export const steps: readonly Step[] = [
  {
    path: 'people',
    label: 'A second person',
    isDone: (progress) => progress.memberCount > 1 || progress.invitations.length > 0 || hasIntegration(progress),
  },
  { path: 'integration', label: 'First integration', isDone: hasIntegration },
  {
    path: 'model',
    label: 'Language model',
    isDone: (progress) => progress.isModelProvided || progress.models.length > 0 || hasConfiguration(progress),
  },
  { path: 'configuration', label: 'First configuration', isDone: hasConfiguration },
  { path: 'task', label: 'First task', isDone: ({ task }) => task !== undefined },
];

export const nextOf = (progress: Progress): Step | undefined => steps.find(({ isDone }) => !isDone(progress));

export interface Welcome {
  progress: Progress;
  /** Looks again, after something was made. */
  again(): void;
}

export const useWelcome = () => useOutletContext<Welcome>();
