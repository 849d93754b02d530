import { DescribeCertificateCommand } from '@aws-sdk/client-acm';
import { RegionInfo } from 'aws-cdk-lib/region-info';
import * as z from 'zod/mini';
import { stackName } from '../../names.ts';
import type { DomainSettings } from '../../settings/domain-settings.ts';
import type { SettingName } from '../../settings/settings.ts';
import type { Stage } from '../../settings/stages.ts';
import { type Aws, deployedResources, hasCode, permitted } from '../aws.ts';
import { blocker, type Check, ok } from '../check.ts';

const Account = z.object({ cloudwatchRoleArn: z.optional(z.nullable(z.string())) });
const TRUST = JSON.stringify({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Principal: { Service: 'apigateway.amazonaws.com' }, Action: 'sts:AssumeRole' }],
});

/** API Gateway rejects access logs if the account has no CloudWatch role in the region. */
export const logRole = (aws: Aws): Check => ({
  name: 'API Gateway log role',
  async run() {
    // Without this header, API Gateway responds in the HAL format.
    const request = aws.request('apigateway', { path: '/account', headers: { accept: 'application/json' } });
    const { cloudwatchRoleArn: role } = Account.parse(JSON.parse(await permitted('apigateway:GET', request)));
    if (role) return ok(role);
    const partition = RegionInfo.get(aws.region).partition ?? 'aws';
    const policy = `arn:${partition}:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs`;
    return blocker('API Gateway has no role with which it can write access logs.', {
      advice: 'Create the role once per account, and select the role once per region:',
      commands: [
        aws.command(`iam create-role --role-name api-gateway-logs --assume-role-policy-document '${TRUST}'`),
        aws.command(`iam attach-role-policy --role-name api-gateway-logs --policy-arn ${policy}`),
        `ROLE=$(${aws.command('iam get-role --role-name api-gateway-logs --query Role.Arn --output text')})`,
        aws.command('apigateway update-account --patch-operations "op=replace,path=/cloudwatchRoleArn,value=$ROLE"'),
      ],
    });
  },
});

/** API Gateway rejects a certificate that is not issued, is in another region, or does not cover the hostname. */
export const apiCertificate = (aws: Aws, domain: DomainSettings): Check =>
  certificate('Certificate', 'apiCertificateArn', aws, domain);

/**
 * CloudFront rejects a certificate that is not issued or does not cover the hostname. The region is not checked here.
 * Settings with a certificate outside of us-east-1 are rejected when they are parsed.
 */
export const webCertificate = (aws: Aws, domain: DomainSettings): Check =>
  certificate('Page client certificate', 'webCertificateArn', aws.inRegion(domain.certificateRegion), domain);

const certificate = (
  check: string,
  setting: SettingName,
  aws: Aws,
  { name, certificateArn, certificateRegion }: DomainSettings,
): Check => ({
  name: check,
  async run() {
    const request = {
      advice:
        'Request a certificate with this command, create the DNS record that validates the certificate, and set the ' +
        `ARN of the certificate as ${setting}:`,
      commands: [aws.command(`acm request-certificate --domain-name ${name} --validation-method DNS`)],
    };
    if (certificateRegion !== aws.region)
      return blocker(`The certificate is in ${certificateRegion}, but the deployment is in ${aws.region}.`, request);
    try {
      const { Certificate: { Status: status, DomainName, SubjectAlternativeNames = [] } = {} } = await permitted(
        'acm:DescribeCertificate',
        aws.acm.send(new DescribeCertificateCommand({ CertificateArn: certificateArn })),
      );
      const names = [...new Set([...(DomainName === undefined ? [] : [DomainName]), ...SubjectAlternativeNames])];
      if (!names.some((covered) => covers(covered, name)))
        return blocker(`The certificate is for ${names.join(', ')}, not for ${name}.`, request);
      if (status === 'ISSUED') return ok(`issued for ${names.join(', ')}`);
      if (status !== 'PENDING_VALIDATION') return blocker(`The certificate has the status ${status}.`, request);
      return blocker('The certificate is not issued yet, because ACM has not verified that you control the domain.', {
        advice: 'Create the record that this command shows, then wait until the status is ISSUED:',
        commands: [
          aws.command(
            `acm describe-certificate --certificate-arn ${certificateArn} ` +
              "--query 'Certificate.DomainValidationOptions[].ResourceRecord'",
          ),
        ],
      });
    } catch (error) {
      if (!hasCode(error, 'ResourceNotFoundException')) throw error;
      return blocker('The certificate does not exist in this account.', request);
    }
  },
});

/** Whether a name of a certificate covers the hostname. A wildcard covers exactly one label. */
const covers = (covered: string, hostname: string): boolean =>
  covered.toLowerCase() === hostname ||
  (covered.startsWith('*.') && covered.slice(1).toLowerCase() === hostname.slice(hostname.indexOf('.')));

/** A hostname can belong to only one API of a region. */
export const hostname = (aws: Aws, stage: Stage, { name }: DomainSettings): Check => ({
  name: 'API hostname',
  async run() {
    const headers = { accept: 'application/json' };
    try {
      await permitted('apigateway:GET', aws.request('apigateway', { path: `/domainnames/${name}`, headers }));
    } catch (error) {
      if (hasCode(error, 'NotFoundException')) return ok(`${name} is free`);
      throw error;
    }
    const own = await deployedResources(aws, stackName(stage, 'api'));
    if (own.has(name)) return ok(`${name} belongs to this stage`);
    return blocker(`The hostname ${name} already exists in API Gateway, but does not belong to this stage.`, {
      advice:
        'Set another apiDomain, or delete the hostname in API Gateway, so that it no longer leads to the other API:',
      commands: [aws.command(`apigateway delete-domain-name --domain-name ${name}`)],
    });
  },
});
