"""Database models: runs, episodes, steps, events, submissions and verdicts."""

from trajectories.models.access import ApiKey, IdempotentCall, KeyChange
from trajectories.models.annotation import (
    AnnotationJob,
    AnnotationProject,
    AnnotationSlot,
    AnnotationUnit,
    Annotator,
    CodebookNote,
    CodebookVersion,
    Label,
    StepMark,
    View,
)
from trajectories.models.episode import Episode, Group
from trajectories.models.events import PageEvent, PageEventTally, SiteEvent, ToolCall
from trajectories.models.export import Export
from trajectories.models.facts import EpisodeFacts, StepFacts
from trajectories.models.fidelity import EpisodeFidelity, Fidelity
from trajectories.models.guidance import Abstraction, GuidanceText, Intervention
from trajectories.models.judge import Judge, JudgeAttack, JudgeCall, JudgeCertification, JudgeSample
from trajectories.models.marks import HealthProbe, WalkPlace, WatchMark
from trajectories.models.recording import Blob, Picture, Pruning, RecordingChunk, RecordingTally
from trajectories.models.report import Report
from trajectories.models.reward import RewardComponents, RewardModel, RewardProfile, RewardSource
from trajectories.models.run import PolicyVersion, Run, RunMetrics, VerdictCounter
from trajectories.models.sampler import Sampler, SamplerDraw, SamplerPrefix, SamplerTask
from trajectories.models.step import PromptSize, Step, StepValue
from trajectories.models.sums import EndingSum, RateSum, TaskSum, VersionSum
from trajectories.models.takeover import Takeover
from trajectories.models.verdict import FirstAnswer, Submission, Verdict, VerdictEvidence

__all__ = [
    "Abstraction",
    "AnnotationJob",
    "AnnotationProject",
    "AnnotationSlot",
    "AnnotationUnit",
    "Annotator",
    "ApiKey",
    "Blob",
    "CodebookNote",
    "CodebookVersion",
    "EndingSum",
    "Episode",
    "EpisodeFacts",
    "EpisodeFidelity",
    "Export",
    "Fidelity",
    "FirstAnswer",
    "Group",
    "GuidanceText",
    "HealthProbe",
    "IdempotentCall",
    "Intervention",
    "Judge",
    "JudgeAttack",
    "JudgeCall",
    "JudgeCertification",
    "JudgeSample",
    "KeyChange",
    "Label",
    "PageEvent",
    "PageEventTally",
    "Picture",
    "PolicyVersion",
    "PromptSize",
    "Pruning",
    "RateSum",
    "RecordingChunk",
    "RecordingTally",
    "Report",
    "RewardComponents",
    "RewardModel",
    "RewardProfile",
    "RewardSource",
    "Run",
    "RunMetrics",
    "Sampler",
    "SamplerDraw",
    "SamplerPrefix",
    "SamplerTask",
    "SiteEvent",
    "Step",
    "StepFacts",
    "StepMark",
    "StepValue",
    "Submission",
    "Takeover",
    "TaskSum",
    "ToolCall",
    "Verdict",
    "VerdictCounter",
    "VerdictEvidence",
    "VersionSum",
    "View",
    "WalkPlace",
    "WatchMark",
]
