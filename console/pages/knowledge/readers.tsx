import { Anchor, List, Text } from '@mantine/core';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { graphql } from '../../api/graphql.ts';
import { Untrusted } from '../../kit/untrusted.tsx';

const query = graphql(`
  query KnowledgeReaders {
    groups(first: 200) {
      nodes {
        id
        name
      }
    }
    configurations(first: 200) {
      nodes {
        id
        name
        connections {
          id
        }
        groups {
          id
          name
        }
      }
    }
  }
`);

/** Groups, and the configurations through which they read knowledge. */
export const useReaders = () => useQuery({ query });

interface Props {
  connectionId: string;
  /** Null: everyone who may use the connection. */
  groupIds: readonly string[] | null;
}

/** The groups that may read a document, and the configurations through which they do. */
export function Readers({ connectionId, groupIds }: Props) {
  const [{ data }] = useReaders();
  if (!data) return null;
  const through = data.configurations.nodes.filter(({ connections }) =>
    connections.some(({ id }) => id === connectionId),
  );
  const nameOf = (id: string) => data.groups.nodes.find((group) => group.id === id)?.name ?? 'a deleted group';
  return (
    <>
      <Text size="sm">
        {groupIds ? (
          groupIds.length ? (
            <>
              Groups <Names of={groupIds.map(nameOf)} />, through these configurations:
            </>
          ) : (
            'No one: the groups that it is shared with do not exist in this organization.'
          )
        ) : (
          'Everyone who may use these configurations:'
        )}
      </Text>
      {through.length ? (
        <List size="sm" mt={4}>
          {through.map(({ id, name, groups }) => (
            <List.Item key={id}>
              <Anchor component={Link} to={`/agents/capabilities/configurations/${id}`} inherit>
                <Untrusted text={name} />
              </Anchor>{' '}
              ({groups.length ? <Names of={groups.map(({ name }) => name)} /> : 'no groups yet'})
            </List.Item>
          ))}
        </List>
      ) : (
        <Text size="sm" c="dimmed">
          No configuration includes this source, so no one can find it. Add it to a configuration.
        </Text>
      )}
    </>
  );
}

const Names = ({ of }: { of: readonly string[] }) =>
  of.map((name, at) => (
    <span key={name}>
      {at > 0 && ', '}
      <Untrusted text={name} />
    </span>
  ));
