import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { ApprovalExpiry } from './approval-expiry.service.js';
import { ApprovalPeople } from './approval-people.service.js';
import { ApprovalStepsResolver } from './approval-steps.resolver.js';
import { ApprovalStepsService } from './approval-steps.service.js';
import { ApprovalsResolver } from './approvals.resolver.js';
import { ApprovalsService } from './approvals.service.js';
import { Eligibility } from './eligibility.service.js';
import { ApprovalReach } from './approval-reach.service.js';
import { Obstacles } from './obstacles.service.js';
import { Visibility } from './visibility.service.js';

@Module({
  imports: [AccessModule],
  providers: [
    ApprovalsService,
    Eligibility,
    Obstacles,
    Visibility,
    ApprovalPeople,
    ApprovalStepsService,
    ApprovalExpiry,
    ApprovalReach,
    ApprovalsResolver,
    ApprovalStepsResolver,
  ],
  exports: [ApprovalsService, ApprovalPeople, ApprovalStepsService],
})
export class ApprovalsModule {}
