import { Alert, Anchor } from '@mantine/core';
import { IconPlayerPause } from '@tabler/icons-react';
import { Link } from 'react-router';
import { When } from '../kit/when.tsx';
import { useMay, useMe } from '../kit/me.tsx';

/** Above every page while the organization is paused. */
export function Paused() {
  const { tenant } = useMe();
  const may = useMay();
  return (
    <div aria-live="polite">
      {tenant.pausedAt && (
        <Alert color="red" variant="light" icon={<IconPlayerPause aria-hidden />} title="Organization paused" mb="md">
          An administrator paused all agents, products, and machines <When at={tenant.pausedAt} />. Tasks wait.{' '}
          {may('organization:manage') && (
            <Anchor component={Link} to="/organization/settings" inherit>
              Go to settings
            </Anchor>
          )}
        </Alert>
      )}
    </div>
  );
}
