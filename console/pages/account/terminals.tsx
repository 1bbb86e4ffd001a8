import { Text } from '@mantine/core';
import { useRef } from 'react';
import { useQuery } from 'urql';
import { useChangeEvents } from '../../api/change-events.ts';
import { graphql } from '../../api/graphql.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { Section } from '../../kit/section.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { When } from '../../kit/when.tsx';
import { AccessItem, AccessList } from './access-list.tsx';

const query = graphql(`
  query OwnDevices {
    ownDevices {
      id
      program
      address
      scopes
      connectedAt
      usedAt
    }
  }
`);
const revokeOwnDevice = graphql(`
  mutation RevokeOwnDevice($input: RevokeDeviceInput!) {
    revokeOwnDevice(input: $input)
  }
`);

/** The terminals that the member connected with the command line. */
export function Terminals() {
  const [result, refetch] = useQuery({ query, requestPolicy: 'cache-and-network' });
  const reload = () => refetch({ requestPolicy: 'network-only' });
  useChangeEvents('client', reload);
  const heading = useRef<HTMLDivElement>(null);
  const disconnecting = useChange(revokeOwnDevice, {
    done: 'Terminal disconnected. Its next request is rejected.',
    onDone: () => {
      reload();
      heading.current?.focus(); // the button that had the focus is gone
    },
    isLoud: true,
  });
  return (
    <div ref={heading} tabIndex={-1}>
      <Section
        title="Terminals"
        lead="Where you use the Countersign command line. Disconnect those that you don’t recognize."
      >
        <Loaded result={result} refetch={refetch}>
          {({ ownDevices }) =>
            ownDevices.length === 0 ? (
              <Text size="sm" c="dimmed">
                No terminals. Run “countersign login” in a terminal to connect it.
              </Text>
            ) : (
              <AccessList label="Terminals">
                {ownDevices.map(({ id, program, address, scopes, connectedAt, usedAt }) => (
                  <AccessItem
                    key={id}
                    name={program ?? 'Unknown program'}
                    details={
                      <>
                        {scopes.includes('api_write') ? 'Read and write' : 'Read only'}, connected{' '}
                        <When at={connectedAt} /> from {address ?? 'an unknown address'}, last used <When at={usedAt} />
                      </>
                    }
                    end={{
                      label: 'Disconnect',
                      description: 'Disconnect',
                      onEnd: () => disconnecting.send({ input: { deviceId: id } }),
                    }}
                  />
                ))}
              </AccessList>
            )
          }
        </Loaded>
      </Section>
    </div>
  );
}
