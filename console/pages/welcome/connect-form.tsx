import { Button, SimpleGrid } from '@mantine/core';
import { Loaded } from '../../kit/loaded.tsx';
import { useConnectors } from '../../features/integrations/connectors.ts';
import { NewIntegrationForm } from '../../features/integrations/new-integration-form.tsx';
import { SetupInstructions } from '../../features/integrations/setup-instructions.tsx';

interface Props {
  /** Of the connector. */
  connectorId: string;
  onCreated(): void;
  onCancel(): void;
}

/** The form of the integration settings, inside the setup. */
export function ConnectForm({ connectorId, onCreated, onCancel }: Props) {
  const [result, refetch] = useConnectors();
  return (
    <Loaded result={result} refetch={refetch}>
      {({ connectors }) =>
        connectors
          .filter(({ id }) => id === connectorId)
          .map((connector) => (
            <SimpleGrid key={connector.id} cols={{ base: 1, lg: 2 }} spacing="xl">
              <NewIntegrationForm
                connector={connector}
                onCreated={onCreated}
                cancel={
                  <Button variant="default" onClick={onCancel}>
                    Back
                  </Button>
                }
              />
              <SetupInstructions connector={connector} />
            </SimpleGrid>
          ))
      }
    </Loaded>
  );
}
