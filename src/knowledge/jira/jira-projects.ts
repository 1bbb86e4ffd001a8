import { containersToRead, type ContainerKind } from '../atlassian/chosen-containers.js';
import type { JiraClient } from './jira-client.js';
import type { JiraProject } from './jira-schemas.js';

export const projectKind: ContainerKind = {
  plural: 'projects',
  noneVisible: 'The account sees no project. Give it the permission “Browse Projects”.',
};

export async function chosenProjects(jira: JiraClient, settings: Record<string, unknown>): Promise<JiraProject[]> {
  return containersToRead(await jira.projects(), settings, projectKind);
}
