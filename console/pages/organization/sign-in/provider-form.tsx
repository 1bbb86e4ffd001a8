import { Alert, Button, Checkbox, Group, PasswordInput, Stack, TagsInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Problem } from '../../../api/problem.ts';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { Unsaved } from '../../../kit/unsaved.tsx';
import { faultOf, listFaultOf } from '../../../kit/use-change.tsx';
import { GroupPicker } from '../../../features/members/group-picker.tsx';
import { VerifiedAddressesNote } from './verified-addresses-note.tsx';

export interface ProviderValues {
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  emailDomains: string[];
  createsMembers: boolean;
  groupIds: string[];
}

export const emptyProvider: ProviderValues = {
  name: '',
  issuer: '',
  clientId: '',
  clientSecret: '',
  emailDomains: [],
  createsMembers: true,
  groupIds: [],
};

interface Props {
  values: ProviderValues;
  /** The domains whose addresses the provider verifies now; removing one needs a warning. */
  coveredDomains?: string[];
  /** Help text of the secret: whether one is stored. */
  secretHint: string;
  verb: string;
  problem: Problem | null;
  /** Retries after an error. */
  retry?: () => void;
  isSending: boolean;
  onSave(values: ProviderValues): void;
  aside?: ReactNode;
}

export function ProviderForm({
  values,
  coveredDomains = [],
  secretHint,
  verb,
  problem,
  retry,
  isSending,
  onSave,
  aside,
}: Props) {
  const form = useForm({ initialValues: values });
  const removedDomains = coveredDomains.filter((domain) => !form.values.emailDomains.includes(domain));
  const fault = (field: string) => faultOf(problem, field);
  return (
    <form
      onSubmit={form.onSubmit((typed) => onSave(typed.createsMembers ? typed : { ...typed, groupIds: [] }))}
      aria-label="Sign-in provider"
    >
      <Unsaved isDirty={form.isDirty()} />
      <Stack maw="36rem">
        {problem && <ProblemNote problem={problem} retry={retry} />}
        <TextInput
          label="Name"
          description="Shown on the button “Sign in with …”."
          required
          {...form.getInputProps('name')}
          error={fault('name')}
        />
        <TextInput
          label="Issuer"
          description="The issuer URL, exactly as in the provider metadata."
          placeholder="https://accounts.example.com"
          type="url"
          required
          {...form.getInputProps('issuer')}
          error={fault('issuer')}
        />
        <TextInput
          label="Client ID"
          description="Register a web application with the provider to get the client ID and secret."
          required
          {...form.getInputProps('clientId')}
          error={fault('clientId')}
        />
        <PasswordInput
          label="Client secret"
          description={secretHint}
          autoComplete="off"
          {...form.getInputProps('clientSecret')}
          error={fault('clientSecret')}
        />
        <TagsInput
          label="Email domains"
          description="Only verified addresses of these domains can sign in. Subdomains are not included."
          placeholder={form.values.emailDomains.length ? undefined : 'example.com'}
          required
          acceptValueOnBlur
          {...form.getInputProps('emailDomains')}
          error={listFaultOf(problem, 'emailDomains')}
        />
        {removedDomains.length > 0 && (
          <Alert
            color="yellow"
            variant="light"
            role="status"
            icon={<IconAlertTriangle aria-hidden />}
            title="You are removing a domain"
          >
            <VerifiedAddressesNote domains={removedDomains} />
          </Alert>
        )}
        <Checkbox
          label="New users become members when they first sign in"
          description="If off, only invited members who linked this provider can sign in."
          {...form.getInputProps('createsMembers', { type: 'checkbox' })}
        />
        {form.values.createsMembers && (
          <GroupPicker
            label="Groups"
            description="Groups of new members."
            value={form.values.groupIds}
            onChange={(groupIds) => form.setFieldValue('groupIds', groupIds)}
            error={fault('groupIds')}
          />
        )}
        <Group>
          <Button type="submit" loading={isSending}>
            {verb}
          </Button>
          {aside}
        </Group>
      </Stack>
    </form>
  );
}
