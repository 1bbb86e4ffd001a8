import { Anchor, Button, SimpleGrid, Text } from '@mantine/core';
import { useState } from 'react';
import { Link, Navigate, useParams } from 'react-router';
import { useConnectors } from '../../features/integrations/connectors.ts';
import { NewIntegrationForm } from '../../features/integrations/new-integration-form.tsx';
import { SetupInstructions } from '../../features/integrations/setup-instructions.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { Page } from '../../kit/page.tsx';

const trail = [
  ['Integration settings', '/integrations'],
  ['Add integration', '/integrations/new'],
] as const;

export function Component() {
  const { kind: id } = useParams();
  const [createdId, setCreatedId] = useState<string>();
  const [result, refetch] = useConnectors();
  const connector = result.data?.connectors.find((connector) => connector.id === id);
  // unmount the form before leaving the page, so that it reports no unsaved changes
  if (createdId) return <Navigate to={`/integrations/${createdId}`} replace />;
  return (
    <Page title={connector ? `Connect ${connector.title}` : 'Add integration'} trail={trail}>
      <Loaded result={result} refetch={refetch}>
        {() =>
          connector ? (
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
              <NewIntegrationForm
                connector={connector}
                onCreated={setCreatedId}
                cancel={
                  <Button component={Link} to="/integrations/new" variant="default">
                    Back
                  </Button>
                }
              />
              <SetupInstructions connector={connector} />
            </SimpleGrid>
          ) : (
            <Text>
              There is no connector with this name.{' '}
              <Anchor component={Link} to="/integrations/new">
                View all connectors
              </Anchor>
              .
            </Text>
          )
        }
      </Loaded>
    </Page>
  );
}
